/** Fetches the data of a server from a place: base and segments into a folder, for `assemble.ts`, and media. */

import { createHash, type Hash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { exists, isIntact, writeBlob } from '../../store/files/blob-files.ts'
import { type Files, isUnreadable, replaceFile, sizeIfThere } from '../../store/files/files.ts'
import { blobPath, blobsName } from '../../store/files/layout.ts'
import { parseJson } from '../../util/json.ts'
import { contentBytes, endName } from './catalog.ts'
import { ifUndamaged, PlaceProblem } from './places/place.ts'
import { type BaseEnd, listMedia, type Target } from './send.ts'
import type { Link } from './ways/reach.ts'
import type { Chain } from './ways/ways.ts'

export interface Progress {
  readonly step: 'database' | 'changes' | 'media'
  readonly done: number
  readonly total: number
}

interface Options {
  readonly files: Files
  /** Folder for everything that is fetched. Files of an earlier call are reused. */
  readonly folder: string
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** Returns an object of a copy, decrypted. @throws PlaceProblem `damaged` if it is missing or fails its check */
export async function getObject({ place, sealer }: Target, name: string): Promise<Uint8Array> {
  const sealed = await place.get(name)
  if (sealed === undefined) {
    throw new PlaceProblem('damaged', `The object ${name} of the copy is missing.`, { object: name })
  }
  return sealer.open(name, sealed)
}

/** Reads an object a second time if it fails its check: the first response may have been damaged on its way. */
async function getTwice(target: Target, name: string): Promise<Uint8Array> {
  return (await ifUndamaged(() => getObject(target, name))) ?? getObject(target, name)
}

/** Fetches base and segments. Other segments that were fetched before are removed. @throws PlaceProblem `damaged` names the object */
export async function fetchChain(target: Target, { base, segments }: Chain, options: Options): Promise<void> {
  const { files, folder, onProgress = () => {} } = options
  await files.makeDir(join(folder, 'parts'))
  const end = await readEnd(target, base.name)
  let isNew = (await files.list(join(folder, 'parts'))).length === 0
  for (;;) {
    const hash = createHash('sha256')
    for (const [at, name] of base.parts.entries()) {
      const path = partPath(folder, at + 1)
      if (!(await exists(files, path))) await fetchPart(target, files, name, path)
      await addTo(hash, files, path, base.name)
      onProgress({ step: 'database', done: at + 1, total: end.parts })
    }
    if (hash.digest('hex') === end.sha256) break
    await files.removeDir(join(folder, 'parts'))
    await files.makeDir(join(folder, 'parts'))
    // A file of an earlier call may be damaged here, and whole at the place.
    if (!isNew) {
      isNew = true
      continue
    }
    throw new PlaceProblem('damaged', `The database ${base.name} of the copy is damaged.`, {
      object: base.name,
    })
  }
  await files.makeDir(join(folder, 'segments'))
  const used = new Set(segments.map(localName))
  for (const name of await files.list(join(folder, 'segments'))) {
    if (!used.has(name)) await files.remove(join(folder, 'segments', name))
  }
  for (const [at, segment] of segments.entries()) {
    const { name } = segment
    const path = join(folder, 'segments', localName(segment))
    if ((await sizeIfThere(files, path)) !== segment.bytes)
      await replaceFile(files, path, await getTwice(target, name))
    onProgress({ step: 'changes', done: at + 1, total: segments.length })
  }
}

/** A local part is a name of the file of a backup, of which sectors may be damaged. @throws PlaceProblem `damaged` */
async function addTo(hash: Hash, files: Files, path: string, object: string): Promise<void> {
  try {
    for await (const chunk of files.chunks(path)) hash.update(chunk)
  } catch (cause) {
    if (!isUnreadable(cause)) throw cause
    throw new PlaceProblem('damaged', `The database ${object} of the copy cannot be read.`, { object, cause })
  }
}

/** @throws PlaceProblem `damaged` */
export async function readEnd(target: Target, base: string): Promise<BaseEnd> {
  const name = endName(base)
  const end = parseJson(Buffer.from(await getTwice(target, name)))
  if (end !== undefined) return end as BaseEnd
  throw new PlaceProblem('damaged', `The object ${name} of the copy is damaged.`, { object: name })
}

async function fetchPart(target: Target, files: Files, name: string, path: string): Promise<void> {
  const { place } = target
  if (place.link) await place.link(name, path)
  else await replaceFile(files, path, await getTwice(target, name))
}

function partPath(folder: string, number: number): string {
  return join(folder, 'parts', String(number).padStart(5, '0'))
}

/** The name of a fetched segment, with the last transaction that counts. Sorted, they follow each other. */
export function localName({ from, last, timeline }: Pick<Link, 'from' | 'last' | 'timeline'>): string {
  return [...[from, last].map((seq) => String(seq).padStart(12, '0')), timeline].join('-')
}

interface MediaOptions extends Options {
  /** Called with the bytes of media that were not fetched before, as their names have it; an error ends the call. */
  readonly onSize?: (bytes: number) => Promise<void>
}

/** Fetches media beside the database of `assemble`. Returns those that the place does not have intact. */
export async function fetchMedia(
  target: Target,
  cids: readonly string[],
  { files, folder, onProgress = () => {}, onSize }: MediaOptions,
): Promise<string[]> {
  const to = join(folder, blobsName)
  const there = await listMedia(target)
  let bytes = 0
  for (const cid of cids) {
    const parts = there.get(target.sealer.hiddenName(cid)) ?? []
    if (!(await exists(files, blobPath(to, cid)))) for (const part of parts) bytes += contentBytes(part)
  }
  await onSize?.(bytes)
  const missing: string[] = []
  for (const [at, cid] of cids.entries()) {
    const parts = there.get(target.sealer.hiddenName(cid))
    const path = blobPath(to, cid)
    const isThere = await isIntact(files, path, cid)
    if (!isThere && !(parts && (await fetchOne(target, files, to, cid, parts)))) missing.push(cid)
    onProgress({ step: 'media', done: at + 1, total: cids.length })
  }
  return missing
}

/** Fetches a media file. Returns false if it is damaged at the place. */
export async function fetchOne(
  target: Target,
  files: Files,
  folder: string,
  cid: string,
  parts: readonly string[],
): Promise<boolean> {
  async function* content() {
    for (const name of parts) yield await getTwice(target, name)
  }
  await files.makeDir(dirname(blobPath(folder, cid)))
  return (await ifUndamaged(() => writeBlob(files, folder, cid, content()))) ?? false
}
