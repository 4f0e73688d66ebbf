/** Videos, as players of the network stream them. */
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkSampleTables } from '../../../../server/repository/blobs/videos/sample-tables.ts'
import { blobOf } from '../../../support/records/blobs.ts'
import { owner as alice, renewSessions, server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['alice'] })

/** 12 seconds of a test picture and a tone; H.264 with a key frame every four seconds, AAC. */
const film = await readFile(join(import.meta.dirname, '../../../support/records/video.mp4'))

let count = 0

/** Checks the sample tables of a file. */
function check(content: Buffer): void {
  checkSampleTables({
    size: () => content.length,
    readBlocking: (into, position) => content.copy(into, 0, position, position + into.length),
    close: async () => {},
  })
}

/** Returns the content with another CID: a box of free space (ISO/IEC 14496-12 §8.1.2) at its end. */
function another(content = film): Buffer {
  const box = Buffer.from(`\0\0\0\x10free${String(++count).padStart(8, '0')}`, 'latin1')
  return Buffer.concat([content, box])
}

/** Writes a post with a video. Returns its CID, the key of the post, and the URL of the playlist in its view. */
async function post(content: Buffer, type = 'video/mp4') {
  const blob = await blobOf(server, alice, content, type)
  const collection = 'app.example.feed.post'
  const embed = { $type: 'app.example.embed.video', video: { ...blob, mimeType: 'video/mp4' } }
  const record = { $type: collection, text: '', embed, createdAt: new Date().toISOString() }
  const { status, body } = await server.post(
    'com.core.repo.createRecord',
    { repo: alice.did, collection, record, validate: false },
    alice,
  )
  expect(status, JSON.stringify(body)).toBe(200)
  const { body: seen } = await server.get('app.example.feed.getPosts', { uris: body.uri }, alice)
  const playlist = String(seen.posts[0].embed.playlist)
  return { cid: blob.ref.$link, rkey: body.uri.split('/').at(-1), collection, playlist }
}

const get = (url: string, init?: RequestInit) => fetch(url, { redirect: 'manual', ...init })
const folder = () => join(server.config.dataDir, 'videos')
const cached = async (cid: string) =>
  (await readdir(folder()).catch(() => [])).filter((name) => name.startsWith(cid) && !name.includes('failed'))

/** The ranges of a playlist: the first is that of the header. */
function rangesOf(playlist: string) {
  return [...playlist.matchAll(/BYTERANGE[:=]"?(\d+)@(\d+)/g)].map(([, length, start]) => ({
    start: Number(start),
    end: Number(start) + Number(length),
  }))
}

/** The types of the boxes of a file (ISO/IEC 14496-12 §4.2). */
function boxesOf(content: Buffer): string[] {
  const types: string[] = []
  for (let at = 0; at < content.length; at += content.readUInt32BE(at)) {
    types.push(content.toString('latin1', at + 4, at + 8))
  }
  return types
}

describe('the playlist of a video', () => {
  test('lists fragments that players can ask for by range', async () => {
    const { playlist, cid } = await post(another())
    const response = await get(playlist, { headers: { origin: 'https://client.example' } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/vnd.apple.mpegurl')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const text = await response.text()
    expect(text).toContain('#EXT-X-ENDLIST')
    expect(text.match(/#EXTINF:4/g)).toHaveLength(3)

    const [head, ...fragments] = rangesOf(text)
    expect(fragments).toHaveLength(3)
    const url = new URL('video.m4s', playlist).href
    for (const { start, end } of [head ?? { start: 0, end: 0 }, ...fragments]) {
      const part = await get(url, { headers: { range: `bytes=${start}-${end - 1}` } })
      expect([part.status, part.headers.get('content-type')]).toEqual([206, 'video/mp4'])
      const boxes = boxesOf(Buffer.from(await part.arrayBuffer()))
      if (start === 0) expect(boxes).toContain('moov')
      else expect(boxes.slice(-2)).toEqual(['moof', 'mdat'])
    }
    const whole = await get(url)
    expect(Number(whole.headers.get('content-length'))).toBe(fragments.at(-1)?.end)
    // Frames are copied, not encoded anew.
    expect(film.length - (await whole.arrayBuffer()).byteLength).toBeLessThan(8000)
    expect(await cached(cid)).toHaveLength(2)
  })

  test('is made once for many players, and again when its files are missing', async () => {
    const { playlist, cid } = await post(another())
    const texts = await Promise.all(Array.from({ length: 8 }, async () => (await get(playlist)).text()))
    expect(new Set(texts).size).toBe(1)
    for (const name of await cached(cid)) await rm(join(folder(), name))
    expect(await (await get(playlist)).text()).toBe(texts[0])
    for (const name of await cached(cid)) if (name.endsWith('.m4s')) await rm(join(folder(), name))
    expect((await get(new URL('video.m4s', playlist).href)).status).toBe(200)
  })

  test('is found only with the key of its URL', async () => {
    const [one, other] = [await post(another()), await post(another())]
    const key = /watch\/[^/]+\/[^/]+\/([^/]+)/
    const [, foreign = ''] = key.exec(other.playlist) ?? []
    const [, own = ''] = key.exec(one.playlist) ?? []
    expect((await get(one.playlist.replace(own, foreign))).status).toBe(404)
    expect((await get(one.playlist.replace(own, own.slice(1)))).status).toBe(404)
    expect((await get(one.playlist.replace(alice.did, 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'))).status).toBe(404)
    expect(await cached(one.cid)).toEqual([])
  })

  test('goes with the post, and with the account', async () => {
    const { playlist, cid, rkey, collection } = await post(another())
    expect((await get(playlist)).status).toBe(200)
    await server.post('com.core.server.deactivateAccount', {}, alice)
    const hidden = await get(playlist)
    expect([hidden.status, ((await hidden.json()) as { error: string }).error]).toEqual([
      400,
      'RepoDeactivated',
    ])
    await server.post('com.core.server.activateAccount', {}, alice)
    expect((await get(playlist)).status).toBe(200)
    await server.post('com.core.repo.deleteRecord', { repo: alice.did, collection, rkey }, alice)
    await server.running.services.background.idle()
    expect(await cached(cid)).toEqual([])
    expect((await get(playlist)).status).toBe(404)
  })

  test.each([
    ['damaged', () => Buffer.concat([film.subarray(0, 3000), Buffer.alloc(500, count++)])],
    ['only named a video', () => Buffer.from(`no film ${++count}`)],
  ])('of a file that is %s leads to the file itself', async (_, make) => {
    const { playlist, cid } = await post(make())
    const response = await get(playlist)
    expect(response.status).toBe(302)
    const location = new URL(response.headers.get('location') ?? '', playlist)
    expect(location.searchParams.get('cid')).toBe(cid)
    expect((await get(location.href)).status).toBe(200)
    expect(await cached(cid)).toEqual([])
  })

  /** The film with another number in a table, at an offset behind the name of the table. */
  const lying = (table: string, offset: number) => {
    const content = Buffer.from(film)
    content.writeUInt32BE(0xffff_ffff, content.indexOf(table) + 4 + offset)
    return another(content)
  }

  test.each([
    ['stts', 8],
    ['stts', 4],
    ['stsz', 8],
    ['stsc', 4],
    ['stco', 4],
  ])(
    'of a file whose table %s names billions leads to the file itself, also after a restart',
    async (table, offset) => {
      const { playlist, cid } = await post(lying(table, offset))
      expect((await get(playlist)).status).toBe(302)
      const note = join(folder(), `${cid}.m3u8.failed-1`)
      const { ino } = await stat(note)
      const { pathname } = new URL(playlist)
      await server.restart()
      await renewSessions()
      expect((await get(server.url + pathname)).status).toBe(302)
      expect((await stat(note)).ino).toBe(ino)
    },
  )

  /** A box with the content. */
  const box = (type: string, content: Buffer) => {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(head.length + content.length)
    head.write(type, 4, 'latin1')
    return Buffer.concat([head, content])
  }

  test.each(['emsg', 'prft', 'uuid'])(
    'of a file whose first box is %s is not read: its tables are checked like others',
    async (first) => {
      const file = Buffer.concat([box(first, Buffer.alloc(8)), lying('stts', 8)])
      expect(() => check(file)).toThrow('names more samples than the file has bytes')
    },
  )

  test.each(['dinf', 'sinf', 'schi', 'wave'])(
    'of a file with a lying table in a box %s is not read',
    (around) => {
      const table = Buffer.alloc(16)
      table.writeUInt32BE(1, 4)
      table.writeUInt32BE(0xffff_ffff, 8)
      const samples = box('stbl', box(around, box('ctts', table)))
      const file = Buffer.concat([
        box('ftyp', Buffer.from('isom')),
        box('moov', box('trak', box('mdia', box('minf', samples)))),
      ])
      expect(() => check(file)).toThrow('names more samples than the file has bytes')
    },
  )
})
