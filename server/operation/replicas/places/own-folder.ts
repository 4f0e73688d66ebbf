/**
 * The folder that a copy gets inside of a folder that a person names: one of the program's own name, so that nothing of others is read or
 * overwritten there. A folder that has a copy already is used as it is.
 */
import { access, constants, lstat, mkdir, readdir, realpath, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { isMissing } from '../../../store/files/files.ts'
import { headName } from '../catalog.ts'
import { FieldProblem } from './describe.ts'
import { folderCalls } from './folder-calls.ts'

/** Its name in the folder that was named. */
export const ownFolderName = 'desktop-pds-copy'

interface OwnFolder {
  readonly path: string
  /** Whether it has yet to be created. */
  readonly isNew: boolean
  /** Whether it is on the disk of the data folder, which a copy should survive. */
  readonly isSameDisk: boolean
}

/**
 * Finds the folder of a copy in the folder `root`. Creates nothing.
 * @throws FieldProblem for a folder that is missing, cannot be written, is part of the data folder, or has other files
 */
export function findOwnFolder(root: string, dataDir: string): Promise<OwnFolder> {
  return folderCalls.run(root, async () => {
    const there = await realpath(root).catch(() => undefined)
    const info = there === undefined ? undefined : await stat(there)
    if (there === undefined || !info?.isDirectory())
      throw new FieldProblem('address', `There is no folder ${root}. Connect its disk, or create the folder.`)
    const data = await realpath(dataDir)
    if (isWithin(there, data))
      throw new FieldProblem('address', 'This folder is part of the data folder. Choose one on another disk.')
    const isSameDisk = info.dev === (await stat(data)).dev
    const path = await folderIn(root)
    return { path, isSameDisk, isNew: (await checkFolder(path, root)) === 'new' }
  })
}

/** Creates the folder of a copy, unless it exists. @throws FieldProblem */
export function makeOwnFolder(path: string): Promise<void> {
  return folderCalls.run(path, async () => {
    // With `recursive`, Node.js would try for ever in a folder such as /proc.
    await mkdir(path, { mode: 0o700 }).catch(({ code }: NodeJS.ErrnoException) => {
      if (code === 'EEXIST') return
      throw new FieldProblem('address', `${path} cannot be created (${code}). Choose another folder.`)
    })
  })
}

/** Returns the folder that has a copy: the one that was named, or the one of our name in it. */
export function findFolderWithCopy(root: string): Promise<string> {
  return folderCalls.run(root, async () => ((await hasCopy(root)) ? root : join(root, ownFolderName)))
}

async function folderIn(root: string): Promise<string> {
  return basename(root) === ownFolderName || (await hasCopy(root)) ? root : join(root, ownFolderName)
}

/** Makes sure that the folder, if it exists, has a copy or nothing, and that it can be written or created. @throws FieldProblem */
async function checkFolder(path: string, root: string): Promise<'new' | 'there'> {
  const info = await lstat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  const isOther = info && path !== root && !info.isDirectory()
  if (isOther || (info && !(await hasCopy(path)) && (await readdir(path)).length > 0)) {
    throw new FieldProblem('address', `${path} has other files. Choose another folder.`)
  }
  await access(info ? path : root, constants.W_OK).catch(() => {
    throw new FieldProblem('address', `This program may not write in ${root}. Change its permissions.`)
  })
  return info ? 'there' : 'new'
}

async function hasCopy(folder: string): Promise<boolean> {
  const head = await lstat(join(folder, headName)).catch(() => undefined)
  return head?.isFile() === true
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || !(way.startsWith('..') || way === path)
}
