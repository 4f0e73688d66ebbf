/** A folder: an external disk, a synced folder or a network share. */
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isMissing, isUnreadable, nodeFiles, renameFile } from '../../../store/files/files.ts'
import { StoreInUse } from '../../../store/files/store-errors.ts'
import { mediaFolder } from '../catalog.ts'
import { folderCalls } from './folder-calls.ts'
import { type Entry, type Place, PlaceProblem } from './place.ts'

/** Ends the names of objects that are being written. */
const temporarySuffix = '.part'

/** @param root must exist, because the mount point of a disk that is not connected is empty or missing */
export function folderPlace(root: string): Place {
  const attempt = <T>(work: () => Promise<T>): Promise<T> =>
    folderCalls.run(root, async () => {
      try {
        return await work()
      } catch (error) {
        throw await describe(root, error)
      }
    })
  /** Name of the object that was put last, other than media, of which single ones are lost and repaired. */
  let last: string | undefined

  /** A disk that was exchanged, or a folder that was emptied, gets nothing before it is read again. */
  async function assertSame(): Promise<void> {
    if (last === undefined || (await sizeOf(root, last)) !== undefined) return
    last = undefined
    throw new PlaceProblem(
      'unreachable',
      `The folder ${root} lacks the files that were written last: its disk may have been exchanged. It is read again.`,
    )
  }

  return {
    list: (folder) =>
      attempt(async () => {
        const entries = await list(root, folder)
        // The caller sees that it is missing.
        const isListed = last !== undefined && entries.some(({ name }) => `${folder}/${name}` === last)
        if (last !== undefined && dirname(last) === folder && !isListed) last = undefined
        // In an empty folder nothing can be mixed with it.
        if (entries.length === 0 && (await readdir(root)).length === 0) last = undefined
        return entries
      }),
    get: (name) =>
      attempt(async () => {
        try {
          return await readFile(join(root, name))
        } catch (error) {
          if (isMissing(error) && (await isThere(root))) return undefined
          if (!isUnreadable(error) || !(await isThere(root))) throw error
          const message = `The file ${name} in ${root} cannot be read: its disk has damaged sectors.`
          throw new PlaceProblem('damaged', message, { object: name, cause: error })
        }
      }),
    size: (name) => attempt(() => sizeOf(root, name)),
    put: (name, bytes) =>
      attempt(async () => {
        await assertSame()
        await put(root, name, bytes)
        if (!name.startsWith(`${mediaFolder}/`)) last = name
      }),
    remove: (name) =>
      attempt(async () => {
        await assertSame()
        if (last === name || last?.startsWith(`${name}/`)) last = undefined
        await rm(join(root, name), { recursive: true, force: true })
      }),
  }
}

async function sizeOf(root: string, name: string): Promise<number | undefined> {
  try {
    return (await stat(join(root, name))).size
  } catch (error) {
    if (isMissing(error) && (await isThere(root))) return undefined
    throw error
  }
}

async function list(root: string, folder: string): Promise<Entry[]> {
  const path = join(root, folder)
  let names: string[]
  try {
    names = await readdir(path)
  } catch (error) {
    if (isMissing(error) && (await isThere(root))) return []
    throw error
  }
  const entries: Entry[] = []
  // One after another: each takes a thread.
  for (const name of names) {
    if (name.endsWith(temporarySuffix)) continue
    const info = await stat(join(path, name)).catch(() => undefined)
    if (info) entries.push({ name, bytes: info.isDirectory() ? undefined : info.size })
  }
  return entries
}

async function put(root: string, name: string, bytes: Uint8Array): Promise<void> {
  await stat(root)
  const path = join(root, name)
  await mkdir(dirname(path), { recursive: true })
  const temporary = `${path}${temporarySuffix}`
  try {
    const file = await open(temporary, 'w')
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await renameFile(temporary, path)
    // Its name, and that of its folder. Network shares may not know this operation.
    for (const folder of [dirname(path), dirname(dirname(path))])
      await nodeFiles.syncDir(folder).catch(() => {})
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

async function isThere(root: string): Promise<boolean> {
  return (await stat(root).catch(() => undefined)) !== undefined
}

async function describe(root: string, error: unknown): Promise<unknown> {
  if (error instanceof PlaceProblem) return error
  const { code, message } = error as NodeJS.ErrnoException
  const options = { cause: error }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new PlaceProblem('full', `There is no space left in ${root}. Free space there.`, options)
  }
  if (error instanceof StoreInUse) return new PlaceProblem('unreachable', message, options)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new PlaceProblem(
      'refused',
      `This program may not write in ${root}. Change its permissions.`,
      options,
    )
  }
  if (!(await isThere(root))) {
    return new PlaceProblem(
      'unreachable',
      `There is no folder ${root}. Connect its disk, or create the folder.`,
      options,
    )
  }
  return new PlaceProblem('unreachable', `The folder ${root} cannot be used (${message}).`, options)
}
