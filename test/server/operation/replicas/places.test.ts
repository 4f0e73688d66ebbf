/** Places at servers: what they store and list, and what their faults mean. */

import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openPlace } from '../../../../server/operation/replicas/places/open.ts'
import type { Place, PlaceOptions } from '../../../../server/operation/replicas/places/place.ts'
import { type Fault, S3Server, WebdavServer } from '../../../support/replicas/place-server.ts'

let dav: WebdavServer
let s3: S3Server
beforeEach(async () => {
  dav = await new WebdavServer().start()
  s3 = await new S3Server().start()
  return async () => {
    await dav.close()
    await s3.close()
  }
})

function open(
  server: WebdavServer | S3Server,
  options: PlaceOptions & { address?: string } = {},
): Promise<Place> {
  const closing = new AbortController()
  onTestFinished(() => closing.abort())
  const credentials = server instanceof S3Server ? server.credentials : { password: server.password }
  return openPlace(options.address ?? server.address, { credentials, signal: closing.signal, ...options })
}

const content = Buffer.from('a sealed object')
const large = Buffer.alloc(9 * 1024 * 1024, 7)
const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)

describe.each([
  ['WebDAV', () => dav],
  ['S3', () => s3],
] as const)('%s', (_, server) => {
  test('objects are stored, replaced, listed level by level, and removed with their folder', async () => {
    const place = await open(server())
    expect(await place.list('')).toEqual([])
    expect(await place.get('pds-copy')).toBeUndefined()
    await place.put('pds-copy', Buffer.from('first'))
    await place.put('pds-copy', content)
    for (const name of ['1', '2', '3', '4', '5']) await place.put(`line-1/bases/1-2/${name}`, content)
    await place.put('line-1/claim', large)

    expect(await place.get('pds-copy')).toEqual(content)
    expect(large.equals((await place.get('line-1/claim')) ?? content)).toBe(true)
    expect(await place.get('line-1/none')).toBeUndefined()
    expect((await place.list('')).sort(byName)).toEqual([
      { name: 'line-1', bytes: undefined },
      { name: 'pds-copy', bytes: content.length },
    ])
    expect((await place.list('line-1')).sort(byName)).toEqual([
      { name: 'bases', bytes: undefined },
      { name: 'claim', bytes: large.length },
    ])
    expect((await place.list('line-1/bases/1-2')).map(({ name }) => name).sort()).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
    ])
    expect(await place.list('line-1/none')).toEqual([])

    await place.remove('line-1/bases')
    await place.remove('line-1/bases')
    expect(await place.list('line-1')).toEqual([{ name: 'claim', bytes: large.length }])
    await place.remove('line-1/claim')
    expect(await place.get('line-1/claim')).toBeUndefined()
  })

  test('an upload that is cut is repeated once', async () => {
    const place = await open(server())
    server().failNext(/^PUT/, 'cut')
    await place.put('line-1/claim', large)
    expect(large.equals((await place.get('line-1/claim')) ?? content)).toBe(true)
  })

  test('an upload that is cut again leaves no object, and the earlier one stays', async () => {
    const place = await open(server())
    await place.put('one/object', content)
    server().failNext(/^PUT/, 'cut', 2)
    await expect(place.put('one/object', large)).rejects.toMatchObject({ kind: 'unreachable' })
    server().failNext(/^PUT/, 'cut', 2)
    await expect(place.put('one/other', large)).rejects.toMatchObject({ kind: 'unreachable' })
    expect(await place.list('one')).toEqual([{ name: 'object', bytes: content.length }])
    expect(await place.get('one/object')).toEqual(content)
    expect(server().objects.size).toBe(1)
  })

  test('a response that is cut is requested once more, then the place is unreachable', async () => {
    const place = await open(server())
    await place.put('one', content)
    server().failNext(/./, 'midway')
    expect(await place.get('one')).toEqual(content)
    server().failNext(/./, 'midway')
    expect(await place.list('')).toHaveLength(1)
    server().failNext(/./, 'midway', 2)
    await expect(place.get('one')).rejects.toMatchObject({ kind: 'unreachable' })
    server().failNext(/./, 'midway', 2)
    await expect(place.list('')).rejects.toMatchObject({ kind: 'unreachable' })
  })

  test('a list that ends too early is an error', async () => {
    const place = await open(server())
    const root = server() === dav ? 'd:multistatus xmlns:d="DAV:"' : 'ListBucketResult'
    for (const body of [`<${root}>`, `<${root}><IsTruncated>true</IsTruncated></ListBucketResult>`, '']) {
      server().failNext(/./, { status: server() === dav ? 207 : 200, body })
      await expect(place.list('')).rejects.toMatchObject({ name: 'PlaceProblem' })
    }
  })

  test('a server that does not respond is unreachable, as is one that is not there', async () => {
    const place = await open(server(), { idleMs: 50 })
    server().failNext(/./, 'silent', 9)
    await expect(place.list('')).rejects.toMatchObject({ kind: 'unreachable' })
    await expect(place.put('one', content)).rejects.toMatchObject({ kind: 'unreachable' })
    await server().close()
    const message = /^127\.0\.0\.1:\d+ does not accept connections\. Check that the server runs there/
    await expect(place.get('one')).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(message),
    })
    await server().start()
  })

  test.each<[Fault, string, RegExp, number?]>([
    [{ status: 500 }, 'unreachable', /failed \(500\)/],
    [{ status: 503, headers: { 'retry-after': '120' } }, 'unreachable', /busy/, 120_000],
    [
      {
        status: 429,
        headers: { 'retry-after': 'Fri, 24 May 2013 00:01:00 GMT', date: 'Fri, 24 May 2013 00:00:00 GMT' },
      },
      'unreachable',
      /busy/,
      60_000,
    ],
    [{ status: 507 }, 'full', /no space left/],
    [{ status: 403 }, 'refused', /permissions/],
    [{ status: 413 }, 'invalid', /limit/],
    [{ status: 418 }, 'invalid', /Check the address/],
  ])('status %o is a problem of kind %s', async (fault, kind, message, retryAfterMs) => {
    const place = await open(server())
    const problem = { kind, message: expect.stringMatching(message), retryAfterMs }
    for (const call of [
      () => place.put('one', content),
      () => place.get('one'),
      () => place.list(''),
      () => place.remove('one'),
    ]) {
      server().failNext(/./, fault)
      await expect(call()).rejects.toMatchObject(problem)
    }
    expect(server().objects.size).toBe(0)
  })

  test('without a password or key, it asks for one', async () => {
    const place = await open(server(), { credentials: {} })
    await expect(place.list('')).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/Enter it/),
    })
    expect(server().calls).toEqual([])
  })
})

describe('WebDAV', () => {
  test('lists may have absolute, encoded addresses, and those of another host', async () => {
    const place = await open(dav, { address: `webdav+http://anna@${dav.host}/dav/my%20c%C3%B6py` })
    await place.put('one/two', content)
    const styles = [
      encodeURI,
      (path: string) => `https://inner.example:8443${encodeURI(path)}`,
      (path: string) =>
        path.replaceAll(/[^/]/g, (char) =>
          [...Buffer.from(char)].map((byte) => `%${byte.toString(16)}`).join(''),
        ),
    ]
    for (const style of styles) {
      dav.href = style
      expect(await place.list('')).toEqual([{ name: 'one', bytes: undefined }])
      expect(await place.list('one')).toEqual([{ name: 'two', bytes: content.length }])
    }
    dav.href = (path) => `/elsewhere${encodeURI(path)}`
    await expect(place.list('')).rejects.toMatchObject({ kind: 'invalid' })
  })

  test('an upload counts when the server has its size', async () => {
    const place = await open(dav)
    dav.failNext(/^PUT/, 'ignored')
    await expect(place.put('one', content)).rejects.toMatchObject({
      message: expect.stringMatching(/stored none of 15 bytes/),
    })
    await place.put('one', content)
    expect(await place.list('')).toEqual([{ name: 'one', bytes: 15 }])
  })

  test('a move that fails leaves no object', async () => {
    const place = await open(dav)
    for (const fault of ['cut', { status: 423 }, { status: 202 }, { status: 207 }] as const) {
      dav.failNext(/^MOVE/, fault, 2)
      await expect(place.put('one', content)).rejects.toMatchObject({ name: 'PlaceProblem' })
      expect(dav.objects.size).toBe(0)
    }
  })

  test('a server that takes its own address for another one is given the path', async () => {
    const place = await open(dav)
    dav.failNext(/^MOVE/, { status: 502 })
    await place.put('one', content)
    expect(await place.get('one')).toEqual(content)
  })

  test('a folder that was removed meanwhile is made again', async () => {
    const place = await open(dav)
    await place.put('one/two', content)
    dav.objects.clear()
    dav.folders.delete('/dav/copy/one')
    await expect(place.put('one/two', content)).rejects.toMatchObject({ kind: 'invalid' })
    await place.put('one/two', content)
    expect(await place.get('one/two')).toEqual(content)
  })

  test('with nginx, which says 500 for a missing folder, the next attempt succeeds; folders are removed with a slash', async () => {
    dav.fault = (call) => {
      const [method, path = ''] = call.split(' ')
      if (method === 'PUT' && !dav.folders.has('/dav/copy')) return { status: 500 }
      return method === 'DELETE' && dav.folders.has(path) ? { status: 409 } : undefined
    }
    const place = await open(dav)
    await expect(place.put('one/two', content)).rejects.toMatchObject({ kind: 'unreachable' })
    await place.put('one/two', content)
    expect(await place.get('one/two')).toEqual(content)
    await place.remove('one')
    expect(await place.list('')).toEqual([])
  })

  test('uploads that were left behind are not listed, and removed after a day', async () => {
    const place = await open(dav)
    await place.put('one', content)
    const left = '/dav/copy/uploading-0123456789abcdef'
    dav.objects.set(left, content)
    expect(await place.list('')).toEqual([{ name: 'one', bytes: 15 }])
    expect(dav.objects.has(left)).toBe(true)
    dav.lastModified = new Date(Date.now() - 25 * 60 * 60_000).toUTCString()
    expect(await place.list('')).toEqual([{ name: 'one', bytes: 15 }])
    expect([...dav.objects.keys()]).toEqual(['/dav/copy/one'])
  })

  test('a redirect is not followed; the problem has the right address', async () => {
    const place = await open(dav)
    const location = 'https://cloud.example/dav/copy/'
    dav.failNext(/./, { status: 301, headers: { location } })
    await expect(place.list('')).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('webdav+https://anna@cloud.example/dav/copy/. Use'),
    })
    dav.failNext(/./, { status: 308, headers: { location: `${location}pds-copy` } })
    await expect(place.get('pds-copy')).rejects.toMatchObject({
      message: expect.stringContaining('webdav+https://anna@cloud.example/dav/copy/. Use'),
    })
  })

  test('a wrong password is refused, and so is a server without Basic authentication', async () => {
    const place = await open(dav, { credentials: { password: 'wrong' } })
    await expect(place.list('')).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/password/),
    })
    dav.failNext(/./, { status: 401, headers: { 'www-authenticate': 'Digest realm="files"' } })
    await expect(place.list('')).rejects.toMatchObject({ message: expect.stringMatching(/Digest/) })
  })

  test('an address without WebDAV is invalid', async () => {
    const place = await open(dav)
    dav.failNext(/./, { status: 405 }, 9)
    await expect(place.list('')).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/no WebDAV folder/),
    })
    const elsewhere = await open(dav, { address: `webdav+http://anna@${dav.host}/elsewhere/copy` })
    await expect(elsewhere.put('one', content)).rejects.toMatchObject({ kind: 'invalid' })
  })
})

describe('S3', () => {
  test('a clock that is wrong is corrected by that of the server', async () => {
    const place = await open(s3, { now: () => new Date('2030-01-01T00:00:00Z') })
    s3.now = new Date('2030-01-02T10:00:00Z')
    await place.put('one', content)
    expect(s3.calls.length).toBe(2)
    expect(await place.get('one')).toEqual(content)
    expect(s3.calls.length).toBe(3)
    const refusal = s3.error(403, 'RequestTimeTooSkewed')
    s3.failNext(/./, { ...refusal, body: String(refusal.body) }, 2)
    await expect(place.get('one')).rejects.toMatchObject({
      message: expect.stringMatching(/clock of this computer/),
    })
  })

  test.each([
    ['AccessDenied', 403, 'refused', /permission to list, read, write and delete/],
    ['QuotaExceeded', 403, 'full', /quota/],
    ['NoSuchBucket', 404, 'invalid', /no bucket bucket/],
    ['SlowDown', 503, 'unreachable', /busy/],
    ['InternalError', 500, 'unreachable', /failed/],
    ['PermanentRedirect', 301, 'invalid', /region/],
  ])('%s', async (code, status, kind, message) => {
    const place = await open(s3)
    for (const call of [
      () => place.put('one', content),
      () => place.get('one'),
      () => place.list(''),
      () => place.remove('one'),
    ]) {
      s3.failNext(/./, { status, body: String(s3.error(status, code).body) })
      await expect(call()).rejects.toMatchObject({ kind, message: expect.stringMatching(message) })
    }
  })

  test('wrong keys and a wrong region are named', async () => {
    const { accessKeyId } = s3.credentials
    const wrongId = await open(s3, { credentials: { ...s3.credentials, accessKeyId: 'other' } })
    await expect(wrongId.list('')).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/access key ID/),
    })
    const wrongKey = await open(s3, { credentials: { accessKeyId, secretAccessKey: 'other' } })
    await expect(wrongKey.list('')).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/secret access key/),
    })
    const elsewhere = await open(s3, { address: s3.address.replace('eu-test-1', 'us-east-1') })
    await expect(elsewhere.list('')).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/region/),
    })
    const place = await open(s3)
    const more = '<Region>eu-test-2</Region>'
    s3.failNext(/./, { status: 400, body: String(s3.error(400, 'AuthorizationHeaderMalformed', more).body) })
    await expect(place.list('')).rejects.toMatchObject({ message: expect.stringMatching(/region=eu-test-2/) })
  })

  test('an endpoint that is no URL is invalid', async () => {
    await expect(openPlace('s3://bucket?endpoint=files')).rejects.toMatchObject({ kind: 'invalid' })
  })

  test('the last object of a folder is removed first', async () => {
    const place = await open(s3)
    for (const name of ['00001', '00002', 'end']) await place.put(`base/${name}`, content)
    s3.calls.length = 0
    s3.failNext(/^DELETE.*00002/, { status: 500 })
    await expect(place.remove('base')).rejects.toMatchObject({ kind: 'unreachable' })
    expect((await place.list('base')).map(({ name }) => name)).toEqual(['00001', '00002'])
  })
})
