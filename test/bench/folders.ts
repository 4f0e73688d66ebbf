/** Temporary folders, removed when the bench ends. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders: string[] = []

export async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'pds-bench-'))
  folders.push(dir)
  return dir
}

export async function removeFolders(): Promise<void> {
  await Promise.all(folders.map((dir) => rm(dir, { recursive: true, force: true })))
}
