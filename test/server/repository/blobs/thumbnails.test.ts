/** Thumbnails of pictures, as clients get them. */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import decodeWebp, { init as initDecoder } from '@jsquash/webp/decode.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { hiddenFrame } from '../../../fuzz/bytes/bombs.ts'
import { blobOf, download, png, upload } from '../../../support/records/blobs.ts'
import { exifText, photo } from '../../../support/records/photo.ts'
import { halves, noise } from '../../../support/records/pictures.ts'
import { owner as alice, renewSessions, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['alice'] })

const root = join(import.meta.dirname, '../../../..')
const wasm = async (path: string) => ({
  wasmBinary: await readFile(join(root, 'node_modules/@jsquash', path)),
})
beforeAll(async () => {
  await initDecoder(await wasm('webp/codec/dec/webp_dec.wasm'))
})

let count = 0

/** Writes a record that refers to an upload. Returns the CID and the key of the record. */
async function keep(content: Buffer, contentType?: string): Promise<{ cid: string; rkey: string }> {
  const blob = await blobOf(server, alice, content, contentType)
  const rkey = `picture-${++count}`
  const input = { repo: alice.did, collection: 'org.example.thing', rkey, record: { blob }, validate: false }
  await server.post('com.core.repo.putRecord', input, alice)
  return { cid: blob.ref.$link, rkey }
}

const thumbnail = (cid: string, preset = 'feed_thumbnail', init?: RequestInit) =>
  download(server, alice.did, `${cid}&preset=${preset}`, init)
const thumbnails = () => readdir(join(server.config.dataDir, 'thumbnails')).catch(() => [])
const namesOf = async (cid: string) =>
  (await thumbnails()).filter((name) => name.startsWith(cid) && name.endsWith('.webp'))

async function decode(response: Response) {
  expect(response.headers.get('content-type')).toBe('image/webp')
  const { width, height, data } = await decodeWebp(await response.arrayBuffer())
  const at = (x: number, y: number) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)]
  return { width, height, at }
}

/** A grey JPEG file with scans that refine nothing (ITU-T T.81 §G.1.2.2: bands of 16,384 blocks that end at once). */
function manyScans(count: number): Buffer {
  const side = 1600
  const sixteen = (number: number) => [number >> 8, number & 0xff]
  const table = (kind: number, symbol: number) => [0xff, 0xc4, 0, 20, kind, 1, ...Array(15).fill(0), symbol]
  const scan = (from: number, to: number, bytes: number) =>
    Buffer.concat([Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, from, to, 0]), Buffer.alloc(bytes)])
  const blocks = (side / 8) ** 2
  const bands = Array.from({ length: count - 1 }, () => scan(1, 63, Math.ceil(blocks / 16_384) * 2))
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xfe, ...sixteen(20_002)]),
    Buffer.alloc(20_000),
    Buffer.from([0xff, 0xdb, 0, 67, 0, ...Array(64).fill(1)]),
    Buffer.from([0xff, 0xc2, 0, 11, 8, ...sixteen(side), ...sixteen(side), 1, 1, 0x11, 0]),
    Buffer.from([...table(0x00, 0), ...table(0x10, 0xe0)]),
    scan(0, 0, blocks / 8),
    ...bands,
    Buffer.from([0xff, 0xd9]),
  ])
}

/** Changes the declared size of a PNG file, and some bytes that make the file another one. */
function declaring(file: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(file)
  changed.writeUInt32BE(width, 16)
  changed.writeUInt32BE(height, 20)
  return changed
}

describe('getBlob with a preset', () => {
  test('answers a picture in the box of the preset, as WebP, that caches keep', async () => {
    const { cid } = await keep(noise(1500, 300))
    const response = await thumbnail(cid)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-security-policy')).toContain('sandbox')
    expect(await decode(response)).toMatchObject({ width: 1000, height: 200 })
    expect(await decode(await thumbnail(cid, 'avatar_thumbnail'))).toMatchObject({ width: 256, height: 51 })
    expect(await namesOf(cid)).toHaveLength(2)
  })

  test('keeps the colours and the sides of a picture', async () => {
    const { cid } = await keep(await photo(1200, 600, 1), 'image/jpeg')
    const { width, height, at } = await decode(await thumbnail(cid, 'avatar_thumbnail'))
    expect([width, height]).toEqual([256, 128])
    const [left, right] = [at(20, 64), at(236, 64)]
    expect(left[0]).toBeGreaterThan(200)
    expect(left[2]).toBeLessThan(90)
    expect(right[2]).toBeGreaterThan(200)
    expect(right[0]).toBeLessThan(90)
  })

  test('turns a photo as its EXIF data say, and drops these', async () => {
    // 6: the first row is the right side, so the left half becomes the top.
    const { cid } = await keep(await photo(1200, 600, 6), 'image/jpeg')
    const whole = Buffer.from(await (await download(server, alice.did, cid)).arrayBuffer())
    expect(whole.includes(exifText)).toBe(true)
    const small = Buffer.from(await (await thumbnail(cid)).arrayBuffer())
    expect(small.includes(exifText)).toBe(false)
    expect(small.includes('EXIF')).toBe(false)
    const { width, height, at } = await decode(await thumbnail(cid))
    expect([width, height]).toEqual([500, 1000])
    expect(at(250, 50)[0]).toBeGreaterThan(200)
    expect(at(250, 950)[2]).toBeGreaterThan(200)
  })

  test('answers conditional and range requests', async () => {
    const { cid } = await keep(noise(300, 299))
    const etag = (await thumbnail(cid, 'avatar_thumbnail')).headers.get('etag') ?? ''
    const headers = { 'if-none-match': etag }
    expect((await thumbnail(cid, 'avatar_thumbnail', { headers })).status).toBe(304)
    // The whole picture and other thumbnails have tags of their own.
    expect((await download(server, alice.did, cid, { headers })).status).toBe(200)
    expect((await thumbnail(cid, 'feed_thumbnail', { headers })).status).toBe(200)
    const part = await thumbnail(cid, 'avatar_thumbnail', { headers: { range: 'bytes=0-3' } })
    expect([part.status, await part.text()]).toEqual([206, 'RIFF'])
  })

  test('makes a thumbnail once, also for requests at once and after a restart', async () => {
    const { cid } = await keep(noise(400, 401))
    const responses = await Promise.all(Array.from({ length: 5 }, () => thumbnail(cid)))
    const bodies = await Promise.all(responses.map((response) => response.arrayBuffer()))
    expect(new Set(bodies.map((body) => body.byteLength)).size).toBe(1)
    const [name = ''] = await namesOf(cid)
    const path = join(server.config.dataDir, 'thumbnails', name)
    const { ino } = await stat(path)
    await server.restart()
    await renewSessions()
    expect((await thumbnail(cid)).headers.get('content-type')).toBe('image/webp')
    expect((await stat(path)).ino).toBe(ino)
  })

  test('makes a thumbnail again when its folder was deleted', async () => {
    const { cid } = await keep(noise(400, 402))
    await thumbnail(cid)
    await rm(join(server.config.dataDir, 'thumbnails'), { recursive: true })
    expect((await thumbnail(cid)).headers.get('content-type')).toBe('image/webp')
    expect(await namesOf(cid)).toHaveLength(1)
  })

  test.each([
    ['a small file', () => halves(800, 401), 'image/png'],
    [
      'a type without a decoder',
      () => Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(30_000, 1)]),
      'image/gif',
    ],
    ['a file that is cut off', () => noise(400, 403).subarray(0, 40_000), 'image/png'],
    ['a file without pixels', () => png('nothing', 30_000), 'image/png'],
    ['a huge declared size', () => declaring(noise(300, 300), 60_000, 60_000), 'image/png'],
    [
      'a declared size that the content does not have',
      () => declaring(noise(300, 301), 3_000, 3_000),
      'image/png',
    ],
    ['a JPEG file whose marker without a length hides its size', () => hiddenFrame(0x01), 'image/jpeg'],
    [
      'a JPEG file without an end',
      () => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(30_000, 0xff)]),
      'image/jpeg',
    ],
  ])('answers the picture itself for %s', async (_, content, type) => {
    const file = content()
    const { cid } = await keep(file, type)
    for (let i = 0; i < 2; i++) {
      const response = await thumbnail(cid)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe(type)
      expect(file.equals(Buffer.from(await response.arrayBuffer()))).toBe(true)
    }
    expect(await namesOf(cid)).toEqual([])
    // The server goes on.
    const good = await keep(noise(310, 300 + count))
    expect((await thumbnail(good.cid, 'avatar_thumbnail')).headers.get('content-type')).toBe('image/webp')
  })

  test('tries a file that cannot be decoded once, also after a restart', async () => {
    const file = noise(400, 405).subarray(0, 40_000)
    const { cid } = await keep(file)
    expect((await thumbnail(cid)).headers.get('content-type')).toBe('image/png')
    const note = join(server.config.dataDir, 'thumbnails', `${cid}.feed_thumbnail.webp.failed-1`)
    const { ino, size } = await stat(note)
    expect(size).toBe(2)
    await server.restart()
    await renewSessions()
    expect((await thumbnail(cid)).headers.get('content-type')).toBe('image/png')
    expect((await stat(note)).ino).toBe(ino)
  })

  test('tries a file again after one interrupted attempt, and no more after two', async () => {
    const content = async (attempts: number) => {
      const { cid } = await keep(noise(400, 410 + attempts))
      const note = join(server.config.dataDir, 'thumbnails', `${cid}.feed_thumbnail.webp.failed-1`)
      await writeFile(note, Buffer.alloc(attempts))
      await server.restart()
      await renewSessions()
      return (await thumbnail(cid)).headers.get('content-type')
    }
    expect(await content(1)).toBe('image/webp')
    expect(await content(2)).toBe('image/png')
  })

  test.each([
    [100, 'image/webp'],
    [101, 'image/jpeg'],
  ])(
    'reads a JPEG file of %i scans, each of which costs a pass over the picture, as %s',
    async (scans, type) => {
      const { cid } = await keep(manyScans(scans), 'image/jpeg')
      expect((await thumbnail(cid)).headers.get('content-type')).toBe(type)
    },
  )

  test('makes none of a file that the disk has damaged', async () => {
    const { cid } = await keep(noise(400, 404))
    const path = join(server.config.dataDir, 'blobs', cid.slice(-2), cid)
    const content = await readFile(path)
    await writeFile(path, Buffer.from(content).fill(0, 5000, 5010))
    await thumbnail(cid)
    expect(await namesOf(cid)).toEqual([])
    await writeFile(path, content)
    expect((await thumbnail(cid)).headers.get('content-type')).toBe('image/webp')
  })

  test('refuses an unknown preset, and a picture that no record refers to', async () => {
    const { cid } = await keep(noise(300, 305))
    expect((await thumbnail(cid, 'poster')).status).toBe(400)
    const { body } = await upload(server, alice, new Uint8Array(noise(300, 306)))
    expect(await (await thumbnail(body.blob.ref.$link)).json()).toMatchObject({ error: 'BlobNotFound' })
  })

  test('thumbnails are deleted with their picture', async () => {
    const { cid, rkey } = await keep(noise(400, 407))
    await thumbnail(cid)
    await thumbnail(cid, 'banner')
    expect(await namesOf(cid)).toHaveLength(2)
    const input = { repo: alice.did, collection: 'org.example.thing', rkey }
    await server.post('com.core.repo.deleteRecord', input, alice)
    await server.running.services.background.idle()
    expect((await thumbnail(cid)).status).toBe(400)
    expect(await namesOf(cid)).toEqual([])
  })
})
