/**
 * The commit of a restore and of an undo. Both are committed by a file name; if the process ends afterwards, the next start of the store finishes
 * them.
 */
import { join } from 'node:path'
import { exists } from '../files/blob-files.ts'
import type { Files } from '../files/files.ts'
import {
  blobsName,
  copiesName,
  databaseName,
  elsewhereName,
  isData,
  lockName,
  replacedElsewhereName,
  replacedName,
  replacingName,
  replicaKeyName,
  restoredBlobsName,
  restoredKeyName,
  restoredMarkName,
  restoredName,
  restoredTimelinesName,
  timelinesName,
  undoingName,
} from '../files/layout.ts'
import { forgetCopies } from '../journal/retire.ts'

/** Finishes a committed undo: while the folder for replaced files has no time, the present data go there. Then the others come. */
export async function finishUndo(files: Files, dir: string, at: Date): Promise<string | undefined> {
  const [from, pending] = [join(dir, undoingName), join(dir, replacingName)]
  if (!(await exists(files, from))) return undefined
  // The lock of the undo, which moved with the folder.
  await files.remove(join(from, lockName))
  const hasBlobs = (await files.list(from)).includes(blobsName)
  const isReplaced = (name: string) => isData(name) || (name === blobsName && hasBlobs)
  if (await exists(files, pending))
    await moveAway(files, dir, (await files.list(dir)).filter(isReplaced), pending)
  const replaced = await nameReplaced(files, dir, pending, at)
  await beginRestored(files, dir)
  for (const name of (await files.list(from)).filter(isReplaced))
    await files.rename(join(from, name), join(dir, name))
  await files.syncDir(dir)
  await takeElsewhereBack(files, dir)
  if ((await files.list(from)).length === 0) await files.removeDir(from)
  await nameReplaced(files, dir, from, at)
  await files.syncDir(dir)
  return replaced
}

/** Finishes a committed restore or undo, if there is one. The caller holds the lock. */
export async function finishRestore(files: Files, dir: string, at: Date): Promise<string | undefined> {
  await finishUndo(files, dir, at)
  const names = await files.list(dir)
  const hasKey = names.includes(restoredKeyName)
  if (!names.includes(restoredName)) {
    // A restore that ended before its commit left it, or one that was finished.
    for (const name of names.filter((each) => besideRestored.includes(each))) {
      await files.remove(join(dir, name))
      await files.syncDir(dir)
    }
    return undefined
  }
  // If the restored key has no file of its own any more, it has replaced the old one.
  const isOld = (name: string) => name !== restoredName && (hasKey || name !== replicaKeyName)
  const old = names.filter((name) => isData(name) && isOld(name))
  // One that was interrupted goes on with its folder: the data are only whole together.
  const pending = join(dir, replacingName)
  if (old.length > 0) await moveAway(files, dir, old, pending)
  if (names.includes(restoredTimelinesName)) await setElsewhereAside(files, dir, pending)
  await replaceBlobs(files, dir, pending)
  const folder = await nameReplaced(files, dir, pending, at)
  await beginRestored(files, dir)
  if (names.includes(restoredTimelinesName)) await putTimelines(files, dir)
  if (hasKey) {
    await files.rename(join(dir, restoredKeyName), join(dir, replicaKeyName))
    await files.syncDir(dir)
  }
  await files.rename(join(dir, restoredName), join(dir, databaseName))
  await files.syncDir(dir)
  await files.remove(join(dir, restoredTimelinesName))
  return folder
}

/** Another computer continues the replaced data, not those that a place brings. */
async function setElsewhereAside(files: Files, dir: string, pending: string): Promise<void> {
  const from = join(dir, copiesName, elsewhereName)
  if (!(await exists(files, from)) || !(await exists(files, pending))) return
  await files.rename(from, join(pending, replacedElsewhereName))
  await files.syncDir(pending)
}

async function takeElsewhereBack(files: Files, dir: string): Promise<void> {
  const from = join(dir, replacedElsewhereName)
  if (!(await exists(files, from))) return
  const folder = join(dir, copiesName)
  await files.makeDir(folder)
  await files.rename(from, join(folder, elsewhereName))
  await files.syncDir(folder)
}

const besideRestored = [restoredKeyName, restoredTimelinesName]

/** Lets the copies of the restored data begin with the timeline that came with them. It stays there until the data are whole. */
async function putTimelines(files: Files, dir: string): Promise<void> {
  const folder = join(dir, copiesName)
  await files.makeDir(folder)
  await files.link(join(dir, restoredTimelinesName), join(folder, timelinesName))
  await files.remove(join(folder, elsewhereName))
  await files.syncDir(folder)
}

/** Gives the folder of replaced files its name. Returns undefined if there are none. */
async function nameReplaced(
  files: Files,
  dir: string,
  pending: string,
  at: Date,
): Promise<string | undefined> {
  if (!(await exists(files, pending))) return undefined
  const folder = await newReplacedFolder(files, dir, at)
  await files.rename(pending, folder)
  await files.syncDir(dir)
  return folder
}

/** Returns the name of a folder for replaced files that does not exist yet. */
export async function newReplacedFolder(files: Files, dir: string, at: Date): Promise<string> {
  for (let time = at; ; time = new Date(time.getTime() + 1)) {
    const folder = join(dir, replacedName(time))
    if (!(await exists(files, folder))) return folder
  }
}

/** Moves the old blobs away and the restored ones to their place, unless an interrupted restore has done that. */
async function replaceBlobs(files: Files, dir: string, folder: string): Promise<void> {
  const restored = join(dir, restoredBlobsName)
  const blobs = join(dir, blobsName)
  if (!(await exists(files, restored))) return
  if (await exists(files, blobs)) {
    await files.makeDir(folder)
    await files.rename(blobs, join(folder, blobsName))
    await files.syncDir(folder)
  }
  await files.rename(restored, blobs)
  await files.syncDir(dir)
}

async function moveAway(files: Files, dir: string, names: readonly string[], folder: string): Promise<void> {
  await files.makeDir(folder)
  for (const name of names) await files.rename(join(dir, name), join(folder, name))
  await files.syncDir(folder)
  await files.syncDir(dir)
}

/** Called once the replaced data are away. */
async function beginRestored(files: Files, dir: string): Promise<void> {
  await forgetCopies(files, dir)
  await (await files.create(join(dir, restoredMarkName))).close()
  await files.syncDir(dir)
}
