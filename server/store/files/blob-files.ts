/** Blob files: each is named by its CID, which is the hash of its content, so no file ever changes. */
import { createHash, type Hash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { cidForRawHash, parseCid } from '@atproto/lex-data'
import { type Files, hashed, isInUse, isMissing, writeChunks } from './files.ts'
import { blobPath, isBlobName, temporarySuffix } from './layout.ts'

export function newBlobHash(): Hash {
  return createHash('sha256')
}

/** Returns the CID of the content that was hashed. */
export function blobCid(hash: Hash): string {
  return cidForRawHash(hash.digest()).toString()
}

/** Returns the SHA-256 in the CID of a blob, in hexadecimal. */
export function blobSha256(cid: string): string {
  return Buffer.from(parseCid(cid).multihash.digest).toString('hex')
}

/** Whether a file or folder exists. */
export async function exists(files: Files, path: string): Promise<boolean> {
  try {
    await files.size(path)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** Returns whether a blob is there and its content matches its CID. */
export async function isIntact(files: Files, path: string, cid: string): Promise<boolean> {
  try {
    return await matchesCid(cid, files.chunks(path, 0, await files.size(path)))
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/**
 * Gives a verified file the name of its blob, in place of any other. Returns once the name is on disk.
 * @param from a temporary file, which a crash may leave
 */
export async function placeBlob(files: Files, from: string, to: string, cid: string): Promise<void> {
  await files.makeDir(dirname(to))
  try {
    await files.rename(from, to)
  } catch (error) {
    if (!isInUse(error) || !(await exists(files, to))) throw error
    await replaceOpenFile(files, from, to, cid)
  }
  await files.syncDir(dirname(to))
}

/** On Windows, a file that is being read cannot be replaced, but it can be renamed. An intact one stays. */
async function replaceOpenFile(files: Files, from: string, to: string, cid: string): Promise<void> {
  if (await isIntact(files, to, cid)) return files.remove(from)
  const aside = `${from}${temporarySuffix}`
  await files.rename(to, aside)
  await files.rename(from, to)
  await files.remove(aside).catch(() => {})
}

/** Returns whether the content matches a CID. */
export async function matchesCid(cid: string, chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
  const hash = newBlobHash()
  for await (const chunk of chunks) hash.update(chunk)
  return blobCid(hash) === cid
}

/** Links a blob into another folder. Its name is on disk after `syncBlobDirs`. Returns false when it has been deleted. */
export async function linkBlob(files: Files, path: string, folder: string, cid: string): Promise<boolean> {
  const target = blobPath(folder, cid)
  await files.makeDir(dirname(target))
  try {
    await files.link(path, target)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** Writes a blob into a folder and syncs its content. Returns whether the content matches the CID. */
export async function writeBlob(
  files: Files,
  folder: string,
  cid: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<boolean> {
  const path = blobPath(folder, cid)
  await files.makeDir(dirname(path))
  const hash = newBlobHash()
  await writeChunks(files, path, hashed(chunks, hash))
  return blobCid(hash) === cid
}

/** Resolves once the names of the blobs in a folder are on disk. */
export async function syncBlobDirs(files: Files, folder: string, cids: readonly string[]): Promise<void> {
  for (const dir of new Set(cids.map((cid) => dirname(blobPath(folder, cid))))) await files.syncDir(dir)
}

/** Yields the CIDs of the blobs in a folder, one directory at a time. Other files are left out. */
export async function* blobsIn(files: Files, folder: string): AsyncGenerator<string[]> {
  for (const shard of await files.list(folder)) {
    if (!/^[a-z2-7]{2}$/.test(shard)) continue
    const names = await files.list(join(folder, shard))
    const cids = names.filter((name) => isBlobName(name) && name.endsWith(shard))
    if (cids.length > 0) yield cids
  }
}
