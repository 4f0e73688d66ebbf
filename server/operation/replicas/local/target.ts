/**
 * The replica in the data directory: its backups. Bases as at other places, without encryption and in one part each, which `zstd -d`
 * opens, and media as the server has them, in `blobs/`: each file once for all backups, as a hard link.
 *
 *     bases/SEQ-TIME-1-NAME/00001-BYTES, media, end    `media` lists the CIDs of its media, `proof` has the result of the last check
 *     blobs/XX/CID
 */
import { dirname, join } from 'node:path'
import {
  type Files,
  isMissing,
  isUnreadable,
  nodeFiles,
  readIfThere,
  replaceFile,
  sizeIfThere,
} from '../../../store/files/files.ts'
import { backupsName, blobsName } from '../../../store/files/layout.ts'
import { timelineName } from '../catalog.ts'
import { type Place, PlaceProblem } from '../places/place.ts'
import type { Sealer } from '../sealer.ts'
import type { Target } from '../send.ts'

/** Each backup counts as a timeline of its own: after a restore, a later one has fewer transactions, so only their times order them. */
export function localTimeline(at: Date): string {
  return timelineName(1, at.getTime().toString(16))
}

const plainSealer: Sealer = {
  fingerprint: 'none',
  hiddenName: (name) => name,
  sealedBytes: (bytes) => bytes,
  seal: async (_name, content) => content,
  open: async (_name, content) => content,
  end: async () => {},
}

/** Names of the compressed databases of backups that this process is making. */
const pendingNames = new Set<string>()
let pendingCount = 0

/** Calls `work` with a name for the compressed database of a backup that no other backup uses meanwhile. */
export async function withPendingName<T>(work: (name: string) => Promise<T>): Promise<T> {
  const name = `base-${process.pid}-${++pendingCount}.zst`
  pendingNames.add(name)
  try {
    return await work(name)
  } finally {
    pendingNames.delete(name)
  }
}

/** Whether a process that no longer runs has left a file while it made a backup. */
export function isLeftPending(name: string): boolean {
  return /^base-[\d-]+\.zst(\.tmp)?$/.test(name) && !pendingNames.has(name.replace(/\.tmp$/, ''))
}

export function backupFolder(dataDir: string): string {
  return join(dataDir, backupsName)
}

/** The place and the form of the backups of a data directory. */
export function localTarget(dataDir: string, files: Files = nodeFiles): Target {
  const root = backupFolder(dataDir)
  return { place: localPlace(files, root), sealer: plainSealer, mediaFolder: join(root, blobsName) }
}

function localPlace(files: Files, root: string): Place {
  const pathOf = (name: string) => join(root, name)
  return {
    async list(folder) {
      const entries = (await files.list(pathOf(folder))).map(async (name) => ({
        name,
        bytes: await sizeIfThere(files, join(pathOf(folder), name)),
      }))
      // Another process may have removed some of them meanwhile.
      return (await Promise.all(entries)).filter(({ bytes }) => bytes !== undefined)
    },
    get: (name) =>
      readIfThere(files, pathOf(name)).catch((error: unknown) => {
        throw isUnreadable(error) ? unreadable(name, error) : error
      }),
    size: (name) => sizeIfThere(files, pathOf(name)),
    async put(name, bytes) {
      await files.makeDir(dirname(pathOf(name)))
      await replaceFile(files, pathOf(name), bytes)
    },
    remove: (name) => files.removeDir(pathOf(name)),
    async link(name, to) {
      try {
        await files.link(pathOf(name), to)
      } catch (error) {
        if (isUnreadable(error)) throw unreadable(name, error)
        if (!isMissing(error)) throw error
        throw new PlaceProblem('damaged', `The file ${name} of the backups is missing.`, { object: name })
      }
    },
  }
}

function unreadable(object: string, cause: unknown): PlaceProblem {
  return new PlaceProblem('damaged', `The file ${object} of the backups cannot be read.`, { object, cause })
}
