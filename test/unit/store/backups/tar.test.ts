import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { ReadableStream } from 'node:stream/web'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readTar, writeTar } from '../../../../server/store/backups/tar.ts'

const files = { 'pds.sqlite': 'x'.repeat(1000), 'blobs/ab/cab': 'y'.repeat(512), empty: '' }
const modified = new Date('2031-02-03T04:05:06Z')

async function* sources() {
  for (const [name, text] of Object.entries(files))
    yield { name, size: text.length, content: inPieces(Buffer.from(text), 300) }
}
const parts: Uint8Array[] = []
for await (const part of writeTar(sources(), modified)) parts.push(part)
const written = Buffer.concat(parts)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pds-tar-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(archive: Buffer, pieceBytes = 100): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const { name, size, content } of readTar(inPieces(archive, pieceBytes))) {
    const parts: Uint8Array[] = []
    for await (const part of content) parts.push(part)
    found[name] = Buffer.concat(parts).toString()
    expect(found[name]).toHaveLength(size)
  }
  return found
}

test('tar: the files of an archive are read back, however the stream is divided', async () => {
  for (const size of [1, 511, 512, 513, 10_000]) expect(await read(written, size)).toEqual(files)
})

test('tar: content that is not read is skipped', async () => {
  const names: string[] = []
  for await (const { name } of readTar(inPieces(written, 100))) names.push(name)
  expect(names).toEqual(Object.keys(files))
})

test('tar: the system tool reads an archive, and its archives are read without their folders', async () => {
  const archive = join(folder, 'a.tar')
  writeFileSync(archive, written)
  execFileSync('tar', ['-xf', archive, '-C', folder])
  expect(readFileSync(join(folder, 'blobs/ab/cab'), 'latin1')).toBe(files['blobs/ab/cab'])
  const made = execFileSync('tar', ['-cf', '-', '--format=ustar', '-C', folder, './blobs', 'pds.sqlite'])
  expect(await read(made)).toEqual({
    'blobs/ab/cab': files['blobs/ab/cab'],
    'pds.sqlite': files['pds.sqlite'],
  })
})

test('tar: files of 8 GiB and more keep their size, also for the system tool', async () => {
  for (const size of [8 ** 11 - 1, 8 ** 11, 2 ** 40]) {
    const zeros = async function* () {
      for (;;) yield Buffer.alloc(2 ** 20)
    }
    const large = async function* () {
      yield { name: 'pds.sqlite', size, content: zeros() }
    }
    for await (const file of readTar(writeTar(large(), modified))) {
      expect(file.size).toBe(size)
      break
    }
    const start: Uint8Array[] = []
    for await (const part of writeTar(large(), modified)) if (start.push(part) > 5) break
    const { stdout } = spawnSync('tar', ['-tvf', '-'], { input: Buffer.concat(start), encoding: 'utf8' })
    expect(stdout).toMatch(new RegExp(` ${size} .* pds.sqlite\\n`))
  }
})

test('tar: an error of a file, and a size that is not that of its content, end the archive', async () => {
  const failing = async function* () {
    yield Buffer.from('part')
    throw new Error('disk')
  }
  const archiveOf = async function* (content: AsyncIterable<Uint8Array>, size: number) {
    yield { name: 'pds.sqlite', size, content }
  }
  const all = async (content: AsyncIterable<Uint8Array>, size: number) => {
    for await (const _ of writeTar(archiveOf(content, size), modified));
  }
  await expect(all(failing(), 10)).rejects.toThrow('disk')
  await expect(all(inPieces(Buffer.from('four'), 2), 5)).rejects.toThrow('Size mismatch')
  await expect(all(inPieces(Buffer.from('four'), 2), 3)).rejects.toThrow('exceeds given size')
})

test('tar: an archive that is cut, has a damaged header or a trailer is refused', async () => {
  for (const length of [100, 512, 1000, 1536, written.length - 1024]) {
    await expect(read(written.subarray(0, length))).rejects.toThrow('truncated')
  }
  const damaged = Buffer.from(written)
  damaged[0] = 0x41
  await expect(read(damaged)).rejects.toThrow('header checksum')
  await expect(read(Buffer.concat([written, Buffer.from('more')]))).rejects.toThrow('Invalid EOF')
})

test('a file that is left out does not stop the reader, wherever the chunks of the archive end', async () => {
  const size = 600_000
  async function* two() {
    for (const name of ['other', 'database']) {
      yield { name, size, content: ReadableStream.from([Buffer.alloc(size)]) }
    }
  }
  const archive = await buffer(writeTar(two(), modified))
  async function* chunks() {
    for (let at = 0; at < archive.length; at += 2 ** 20) {
      await setImmediate()
      yield archive.subarray(at, at + 2 ** 20)
    }
  }
  let bytes = 0
  for await (const { name, content } of readTar(chunks())) {
    if (name === 'database') for await (const chunk of content) bytes += chunk.length
  }
  expect(bytes).toBe(size)
})
