/** Copies folders between memory and the real disk. Names and contents are kept, files with two names included; times are not. */
import { lstat, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Files, nodeFiles, writeChunks } from '../../store/files/files.ts'
import type { MemoryFiles } from './memory-files.ts'

/** Writes a folder in memory to a real folder, which is missing or empty. @throws Error with a sentence for people */
export async function saveFolder(files: MemoryFiles, from: string, to: string): Promise<void> {
  if ((await nodeFiles.list(to)).length > 0) throw new Error(`The folder ${to} is not empty.`)
  await nodeFiles.makeDir(to)
  for (const { path, isFolder, linkOf, read } of files.entries(from)) {
    const target = join(to, path)
    if (isFolder) await nodeFiles.makeDir(target)
    else if (linkOf !== undefined) await nodeFiles.link(join(to, linkOf), target)
    else await writeChunks(nodeFiles, target, [read()])
  }
}

/**
 * Reads a real folder into memory. Sockets and links to other paths are left out.
 * @throws Error with a sentence for people if the folder itself is a link, which may lead to the data of a server
 */
export async function loadFolder(from: string, files: Files, to: string): Promise<void> {
  /** Paths in memory of files with several names. */
  const linked = new Map<string, string>()
  const itself = await lstat(from).catch(() => undefined)
  if (itself?.isSymbolicLink()) throw new Error(`${from} is a link to another folder.`)
  await files.makeDir(to)
  for (const entry of await readdir(from, { withFileTypes: true, recursive: true })) {
    const source = join(entry.parentPath, entry.name)
    const target = join(to, source.slice(from.length))
    if (entry.isDirectory()) await files.makeDir(target)
    if (!entry.isFile()) continue
    const { dev, ino, nlink } = await stat(source, { bigint: true })
    const identity = `${dev}:${ino}`
    const earlier = linked.get(identity)
    await files.makeDir(dirname(target))
    if (earlier !== undefined) await files.link(earlier, target)
    else await writeChunks(files, target, nodeFiles.chunks(source))
    if (nlink > 1n) linked.set(identity, target)
  }
}
