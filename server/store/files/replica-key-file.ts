/**
 * The file that names the key of the copies which the data have at places. It moves with the data: a restore and an undo put the data and
 * the name of their key in place together.
 */
import { join } from 'node:path'
import { type Files, nodeFiles, readJson, replaceJson } from './files.ts'
import { replicaKeyName } from './layout.ts'

/** Returns the fingerprint of the key; undefined if the file is missing or damaged. */
export async function readReplicaKey(dir: string, files: Files = nodeFiles): Promise<string | undefined> {
  const content = await readJson<{ readonly key?: unknown }>(files, join(dir, replicaKeyName))
  return typeof content?.key === 'string' ? content.key : undefined
}

export async function writeReplicaKey(
  dir: string,
  key: string,
  files: Files = nodeFiles,
  name = replicaKeyName,
): Promise<void> {
  await replaceJson(files, join(dir, name), { key })
}
