import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, stat, truncate, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { cidForRawHash } from '@atproto/lex-data'
import { beforeEach, describe, expect, test } from 'vitest'
import { blobOf, download, filesIn, png, upload } from '../../../support/records/blobs.ts'
import { hour } from '../../../support/server/clock.ts'
import { FullDisk } from '../../../support/server/full-disk.ts'
import { type Account, adminAuth, refusal, TestServer } from '../../../support/server/server.ts'
import {
  owner as alice,
  other as bob,
  renewSessions,
  server,
  setupServer,
} from '../../../support/server/setup.ts'
import { ownerOnly } from '../../../support/store/modes.ts'

let count = 0

setupServer({ config: { blobUploadLimit: 100_000 }, accounts: ['alice', 'bob'] })

/** A new image. */
let image: Buffer
beforeEach(() => {
  image = png(`image ${++count} `)
})

const cidOf = (content: Buffer) => cidForRawHash(createHash('sha256').update(content).digest()).toString()
const files = () => filesIn(server.config.dataDir, 'blobs')
const has = async (cid: string) => (await files()).includes(`${cid.slice(-2)}/${cid}`)
const idle = () => server.running.services.background.idle()

function write(who: Account, rkey: string, value: unknown, collection = 'org.example.thing') {
  const input = { repo: who.did, collection, rkey, record: { value }, validate: false }
  return server.post('com.core.repo.putRecord', input, who)
}
function erase(who: Account, rkey: string) {
  return server.post(
    'com.core.repo.deleteRecord',
    { repo: who.did, collection: 'org.example.thing', rkey },
    who,
  )
}
function profile(who: Account, fields: Record<string, unknown>, validate?: boolean) {
  const input = {
    repo: who.did,
    collection: 'app.example.actor.profile',
    rkey: 'self',
    record: fields,
    validate,
  }
  return server.post('com.core.repo.putRecord', input, who)
}

describe('uploadBlob', () => {
  test('answers the reference to the bytes and keeps them in a file that only the owner reads', async () => {
    const { body } = await upload(server, alice, new Uint8Array(image), 'IMAGE/png; name=x')
    const cid = cidOf(image)
    expect(body.blob).toEqual({
      $type: 'blob',
      ref: { $link: cid },
      mimeType: 'image/png',
      size: image.length,
    })
    expect(await has(cid)).toBe(true)
    const file = join(server.config.dataDir, 'blobs', cid.slice(-2), cid)
    expect((await stat(file)).mode & 0o777).toBe(ownerOnly)
  })

  test('detects the type of media, and takes the declared one for other bytes', async () => {
    expect(await blobOf(server, alice, image, 'text/html')).toMatchObject({ mimeType: 'image/png' })
    const text = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"/> ${count}`)
    expect(await blobOf(server, alice, text, 'Image/SVG+xml;a=b')).toMatchObject({
      mimeType: 'image/svg+xml',
    })
    expect(await blobOf(server, alice, text, '*/*')).toMatchObject({ mimeType: 'application/octet-stream' })
  })

  test('refuses bodies beyond the limit, with and without a length, and leaves no file', async () => {
    const before = await files()
    const large = new Uint8Array(100_001)
    expect(await upload(server, alice, large)).toMatchObject(refusal(413, 'PayloadTooLarge'))
    const stream = new Blob([large]).stream()
    expect(await upload(server, alice, stream)).toMatchObject(refusal(413, 'PayloadTooLarge'))
    expect(await files()).toEqual(before)
    expect((await upload(server, alice, large.subarray(1))).status).toBe(200)
    expect((await server.get('com.core.server.describeServer')).body.blobUploadLimit).toBe(100_000)
  })

  test('an upload that is cut leaves no file', async () => {
    const before = await files()
    const arrived = Promise.withResolvers<void>()
    const headers = {
      authorization: `Bearer ${alice.accessJwt}`,
      'content-type': 'image/png',
      'content-length': 5000,
    }
    const req = request(`${server.url}/xrpc/com.core.repo.uploadBlob`, { method: 'POST', headers })
    req.on('error', () => arrived.resolve())
    req.write(image)
    await expect.poll(async () => (await files()).length).toBe(before.length + 1)
    req.destroy()
    await arrived.promise
    await expect.poll(files).toEqual(before)
  })

  test('an upload during which its session ends is refused and leaves no file', async () => {
    const before = await files()
    const { accessJwt } = await server.appSession(alice, `phone ${count}`)
    const headers = { authorization: `Bearer ${accessJwt}`, 'content-type': 'image/png' }
    const req = request(`${server.url}/xrpc/com.core.repo.uploadBlob`, { method: 'POST', headers })
    const answered = once(req, 'response') as Promise<[IncomingMessage]>
    req.write(image)
    await expect.poll(async () => (await files()).length).toBe(before.length + 1)
    await server.post('com.core.server.revokeAppPassword', { name: `phone ${count}` }, alice)
    req.end()
    const [answer] = await answered
    expect(answer.statusCode).toBe(400)
    answer.resume()
    await expect.poll(files).toEqual(before)
  })

  test('while the disk is full, uploads are refused with 503 and leave no file', async () => {
    const disk = new FullDisk()
    const full = await TestServer.start({}, disk.files)
    const hank = await full.account('hank')
    disk.isFull = true
    expect(await upload(full, hank, new Uint8Array(image))).toMatchObject(refusal(503, 'NotEnoughResources'))
    disk.isFull = false
    expect(await filesIn(full.config.dataDir, 'blobs')).toEqual([])
    expect((await upload(full, hank, new Uint8Array(image))).status).toBe(200)
    await full.close()
  })

  test('needs a type and an access token', async () => {
    const send = (headers: Record<string, string>) =>
      server.fetch('/xrpc/com.core.repo.uploadBlob', { method: 'POST', headers, body: new Uint8Array(image) })
    expect(await send({ authorization: `Bearer ${alice.accessJwt}` })).toMatchObject(
      refusal(400, 'InvalidRequest'),
    )
    expect(await send({ 'content-type': 'image/png' })).toMatchObject(refusal(401, 'AuthMissing'))
  })

  test('an empty file is a blob', async () => {
    expect(await blobOf(server, alice, Buffer.alloc(0), 'text/plain')).toMatchObject({ size: 0 })
  })

  test('a deactivated account may upload', async () => {
    const carla = await server.account('carla')
    await server.post('com.core.server.deactivateAccount', {}, carla)
    expect((await upload(server, carla, new Uint8Array(image))).status).toBe(200)
  })

  test("the network's name of the method works", async () => {
    const answer = await server.fetch('/xrpc/com.atproto.repo.uploadBlob', {
      method: 'POST',
      headers: { authorization: `Bearer ${alice.accessJwt}`, 'content-type': 'image/png' },
      body: new Uint8Array(image),
    })
    expect(answer.body.blob.ref.$link).toBe(cidOf(image))
  })
})

describe('references', () => {
  test('a record that names a blob of another account, or none, is refused', async () => {
    const blob = await blobOf(server, bob, image)
    expect(await write(alice, 'foreign', blob)).toMatchObject(refusal(400, 'BlobNotFound'))
    expect(await write(bob, 'own', blob)).toMatchObject({ status: 200 })
    expect(await write(alice, 'foreign', blob)).toMatchObject(refusal(400, 'BlobNotFound'))
    const record = { repo: alice.did, collection: 'org.example.thing' }
    expect(await server.get('com.core.repo.getRecord', { ...record, rkey: 'foreign' })).toMatchObject({
      status: 400,
    })
  })

  test('the reference must state the type and size of the blob', async () => {
    const blob = await blobOf(server, alice, image)
    const wrongType = await write(alice, 'wrong', { ...blob, mimeType: 'image/jpeg' })
    expect(wrongType).toMatchObject(refusal(400, 'InvalidMimeType'))
    expect(await write(alice, 'wrong', { ...blob, size: 1 })).toMatchObject(refusal(400, 'InvalidSize'))
  })

  test('references of old clients, without a size, count as well', async () => {
    const { ref, mimeType } = await blobOf(server, alice, image)
    expect((await write(alice, 'old', { cid: ref.$link, mimeType })).status).toBe(200)
    expect((await download(server, alice.did, ref.$link)).status).toBe(200)
    const absent = { cid: cidOf(png('absent')), mimeType }
    expect(await write(alice, 'old', absent)).toMatchObject(refusal(400, 'BlobNotFound'))
    const other = { cid: ref.$link, mimeType: 'image/gif' }
    expect(await write(alice, 'old', other)).toMatchObject(refusal(400, 'InvalidMimeType'))
    await erase(alice, 'old')
    await idle()
    expect(await has(ref.$link)).toBe(false)
  })

  test('the lexicon decides which types and sizes a field accepts', async () => {
    const text = await blobOf(server, alice, Buffer.from('not an image'), 'text/plain')
    expect(await profile(alice, { avatar: text })).toMatchObject(refusal(400, 'InvalidMimeType'))
    const blob = await blobOf(server, alice, image)
    expect(await profile(alice, { avatar: { ...blob, size: 10_000_000 } })).toMatchObject(
      refusal(400, 'InvalidSize'),
    )
    expect(await profile(alice, { avatar: text }, false)).toMatchObject({ status: 200 })
    expect(await profile(alice, { avatar: blob })).toMatchObject({ status: 200 })
  })

  test('one refused write of several changes nothing', async () => {
    const blob = await blobOf(server, alice, image)
    const create = (rkey: string, value: unknown) => ({
      $type: 'com.core.repo.applyWrites#create',
      ...{ collection: 'org.example.thing', rkey, value: { value } },
    })
    const missing = { ...blob, ref: { $link: cidOf(Buffer.from('missing')) } }
    const writes = [create('one', blob), create('two', missing)]
    const answer = await server.post('com.core.repo.applyWrites', { repo: alice.did, writes }, alice)
    expect(answer).toMatchObject(refusal(400, 'BlobNotFound'))
    expect((await download(server, alice.did, blob.ref.$link)).status).toBe(400)
  })
})

describe('lifetime', () => {
  test('an upload without a reference is deleted after a day; one with a reference stays', async () => {
    const kept = await blobOf(server, alice, image)
    const lost = await blobOf(server, alice, png(`lost ${count}`))
    await write(alice, 'kept', kept)
    server.clock.advance(23 * hour)
    await server.running.services.repository.blobs.expire()
    expect(await has(lost.ref.$link)).toBe(true)
    server.clock.advance(2 * hour)
    await server.running.services.repository.blobs.expire()
    expect(await has(lost.ref.$link)).toBe(false)
    expect(await has(kept.ref.$link)).toBe(true)
    await renewSessions()
    expect(await write(alice, 'late', lost)).toMatchObject(refusal(400, 'BlobNotFound'))
  })

  test('a blob is deleted with the last record that names it', async () => {
    const blob = await blobOf(server, alice, image)
    const cid = blob.ref.$link
    await write(alice, 'first', [blob, blob])
    await write(alice, 'second', blob)
    await erase(alice, 'first')
    await idle()
    expect((await download(server, alice.did, cid)).status).toBe(200)
    await write(alice, 'second', 'another value')
    await idle()
    expect(await has(cid)).toBe(false)
    expect((await download(server, alice.did, cid)).status).toBe(400)
  })

  test('a record that is deleted and created again in one commit keeps its blob', async () => {
    const blob = await blobOf(server, alice, image)
    await write(alice, 'old', blob)
    const collection = 'org.example.thing'
    const writes = [
      { $type: 'com.core.repo.applyWrites#delete', collection, rkey: 'old' },
      { $type: 'com.core.repo.applyWrites#create', collection, rkey: 'new', value: { value: blob } },
    ]
    expect(await server.post('com.core.repo.applyWrites', { repo: alice.did, writes }, alice)).toMatchObject({
      status: 200,
    })
    await idle()
    expect((await download(server, alice.did, blob.ref.$link)).status).toBe(200)
  })

  test('a blob that is uploaded again stays when its last record is deleted', async () => {
    const blob = await blobOf(server, alice, image)
    await write(alice, 'before', blob)
    await blobOf(server, alice, image)
    await erase(alice, 'before')
    await idle()
    expect(await write(alice, 'after', blob)).toMatchObject({ status: 200 })
  })

  test('accounts that upload the same bytes share a file until the last of them deletes it', async () => {
    const blob = await blobOf(server, alice, image)
    const cid = blob.ref.$link
    await blobOf(server, bob, image)
    await write(alice, 'shared', blob)
    await write(bob, 'shared', blob)
    await erase(alice, 'shared')
    await idle()
    expect((await download(server, alice.did, cid)).status).toBe(400)
    expect((await download(server, bob.did, cid)).status).toBe(200)
    await erase(bob, 'shared')
    await idle()
    expect(await has(cid)).toBe(false)
  })

  test('the deletion of an account deletes its blobs, but not those of others', async () => {
    const dora = await server.account('dora')
    const own = await blobOf(server, dora, image)
    const shared = await blobOf(server, dora, png(`shared ${count}`))
    await blobOf(server, bob, png(`shared ${count}`))
    await write(dora, 'own', [own, shared])
    await write(bob, 'with-dora', shared)
    await server.post('com.core.admin.deleteAccount', { did: dora.did }, adminAuth)
    await idle()
    expect(await has(own.ref.$link)).toBe(false)
    expect((await download(server, bob.did, shared.ref.$link)).status).toBe(200)
  })

  test('a sweep removes files without a blob, and a start removes interrupted uploads', async () => {
    const blob = await blobOf(server, alice, image)
    await write(alice, 'swept', blob)
    const before = await files()
    const stray = cidOf(Buffer.from('stray'))
    const folder = join(server.config.dataDir, 'blobs')
    await mkdir(join(folder, stray.slice(-2)), { recursive: true })
    await writeFile(join(folder, stray.slice(-2), stray), 'stray')
    await writeFile(join(folder, 'interrupted.tmp'), 'stray')
    await server.restart()
    await server.running.services.repository.blobs.sweep()
    expect(await files()).toEqual(before)
  })
})

describe('getBlob', () => {
  const get = (cid: string, headers: Record<string, string> = {}, method = 'GET') =>
    download(server, alice.did, cid, { headers, method })
  const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer())

  test('sends an image to pages of any origin, as it was uploaded', async () => {
    const { ref } = await blobOf(server, alice, image)
    await write(alice, 'image', { $type: 'blob', ref, mimeType: 'image/png', size: image.length })
    const answer = await get(ref.$link, { origin: 'https://elsewhere.example' })
    expect((await bytesOf(answer)).equals(image)).toBe(true)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(image.length),
      etag: `"${ref.$link}"`,
      'accept-ranges': 'bytes',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
    })
    expect(answer.headers.has('content-disposition')).toBe(false)
    const head = await get(ref.$link, {}, 'HEAD')
    expect(head.headers.get('content-length')).toBe(String(image.length))
    expect(await head.text()).toBe('')
  })

  test.each(['text/html', 'image/svg+xml', 'application/pdf'])('%s is sent as a download', async (type) => {
    const blob = await blobOf(server, alice, Buffer.from(`<script>${type} ${count}</script>`), type)
    await write(alice, 'document', blob)
    const answer = await get(blob.ref.$link)
    await answer.text()
    expect(answer.headers.get('content-type')).toBe(type)
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment/)
    expect(answer.headers.get('content-security-policy')).toContain('sandbox')
  })

  test('answers conditional and range requests', async () => {
    const blob = await blobOf(server, alice, image)
    const cid = blob.ref.$link
    await write(alice, 'parts', blob)
    expect(await get(cid, { 'if-none-match': `"other", W/"${cid}"` })).toMatchObject({ status: 304 })
    expect(await get(cid, { 'if-none-match': '"other"' })).toMatchObject({ status: 200 })
    const size = image.length
    for (const [range, start, end] of [
      ['bytes=0-9', 0, 10],
      ['bytes=190-', 190, size],
      ['bytes=-7', size - 7, size],
      ['bytes=100-9999', 100, size],
    ] as const) {
      const answer = await get(cid, { range })
      expect(answer.status).toBe(206)
      expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${size}`)
      expect(answer.headers.get('content-length')).toBe(String(end - start))
      expect((await bytesOf(answer)).equals(image.subarray(start, end))).toBe(true)
    }
    for (const range of ['bytes=9999-', 'bytes=-0']) {
      const answer = await get(cid, { range })
      expect([answer.status, answer.headers.get('content-range')]).toEqual([416, `bytes */${size}`])
      await answer.text()
    }
    for (const range of ['bytes=5-1', 'bytes=0-1,3-4', 'items=0-1', 'bytes=-']) {
      expect((await bytesOf(await get(cid, { range }))).length).toBe(size)
    }
    const stale = await get(cid, { range: 'bytes=0-9', 'if-range': '"other"' })
    expect((await bytesOf(stale)).length).toBe(size)
  })

  test('a blob without a reference is sent to no one, its owner included', async () => {
    const { ref } = await blobOf(server, alice, image)
    for (const auth of [undefined, alice]) {
      const params = { did: alice.did, cid: ref.$link }
      expect(await server.get('com.core.sync.getBlob', params, auth)).toMatchObject(
        refusal(400, 'BlobNotFound'),
      )
    }
    expect(
      await server.get('com.core.sync.getBlob', { did: 'did:web:a.test', cid: ref.$link }),
    ).toMatchObject(refusal(400, 'RepoNotFound'))
  })

  test('the blobs of an inactive account are sent to that account and the administrator only', async () => {
    const emma = await server.account('emma')
    const blob = await blobOf(server, emma, image)
    const cid = blob.ref.$link
    await write(emma, 'own', blob)
    const ask = (auth?: Account) => server.get('com.core.sync.getBlob', { did: emma.did, cid }, auth)
    await server.post('com.core.server.deactivateAccount', {}, emma)
    expect(await ask()).toMatchObject(refusal(400, 'RepoDeactivated'))
    expect(await ask(bob)).toMatchObject(refusal(400, 'RepoDeactivated'))
    const own = await download(server, emma.did, cid, {
      headers: { authorization: `Bearer ${emma.accessJwt}` },
    })
    expect((await bytesOf(own)).equals(image)).toBe(true)
    expect(own.headers.get('cache-control')).toBe('private, no-store')
    for (const authorization of [adminAuth, `Bearer ${alice.accessJwt}`]) {
      const asAdmin = await download(server, emma.did, cid, { headers: { authorization } })
      expect((await bytesOf(asAdmin)).equals(image)).toBe(true)
    }
    await server.setStatus(emma.did, { takedown: true })
    const { body: listed } = await server.get('com.core.sync.listBlobs', { did: emma.did }, adminAuth)
    expect(listed.cids).toEqual([cid])
    expect(await ask()).toMatchObject(refusal(400, 'RepoTakendown'))
    expect(await server.get('com.core.sync.listBlobs', { did: emma.did })).toMatchObject(
      refusal(400, 'RepoTakendown'),
    )
  })

  test('a file that is missing or was cut is not sent', async () => {
    const blob = await blobOf(server, alice, image)
    const cid = blob.ref.$link
    await write(alice, 'damaged', blob)
    await truncate(join(server.config.dataDir, 'blobs', cid.slice(-2), cid), 10)
    expect((await get(cid)).status).toBe(400)
    await blobOf(server, alice, image)
    expect((await bytesOf(await get(cid))).equals(image)).toBe(true)
  })
})

describe('lists', () => {
  test('listBlobs lists referenced blobs in pages, and those after a revision', async () => {
    const fred = await server.account('fred')
    const list = async (more: Record<string, string> = {}) =>
      (await server.get('com.core.sync.listBlobs', { did: fred.did, ...more })).body
    const cids: string[] = []
    let since = ''
    for (const name of ['one', 'two', 'three']) {
      const blob = await blobOf(server, fred, png(`${name} ${count}`))
      cids.push(blob.ref.$link)
      const { body } = await write(fred, name, blob)
      if (name === 'one') since = body.commit.rev
    }
    await blobOf(server, fred, image)
    const [first, ...later] = cids
    expect((await list()).cids.toSorted()).toEqual(cids.toSorted())
    expect((await list({ since })).cids.toSorted()).toEqual(later.toSorted())
    const page = await list({ limit: '2' })
    const rest = await list({ limit: '2', cursor: page.cursor })
    expect([...page.cids, ...rest.cids].toSorted()).toEqual(cids.toSorted())
    expect(rest.cursor).toBeUndefined()
    expect(first).toBeDefined()
    expect(await server.get('com.core.sync.listBlobs', { did: fred.did, cursor: 'x' })).toMatchObject(
      refusal(400, 'InvalidRequest'),
    )
  })

  test('listMissingBlobs and checkAccountStatus count what records name and what is there', async () => {
    const gina = await server.account('gina')
    const missing = async (params = {}) =>
      (await server.get('com.core.repo.listMissingBlobs', params, gina)).body
    const status = async () => {
      const { body } = await server.get('com.core.server.checkAccountStatus', {}, gina)
      return [body.expectedBlobs, body.importedBlobs]
    }
    const blobs = [await blobOf(server, gina, image), await blobOf(server, gina, png(`two ${count}`))]
    await write(gina, 'both', blobs)
    expect(await missing()).toEqual({ blobs: [] })
    expect(await status()).toEqual([2, 2])
    // As after the import of a repository.
    await server.running.services.store.transact((tx) => tx.run('DELETE FROM blobs'))
    const recordUri = `at://${gina.did}/org.example.thing/both`
    const all = await missing()
    expect(all.blobs.map(({ cid }: { cid: string }) => cid).toSorted()).toEqual(
      blobs.map(({ ref }) => ref.$link).toSorted(),
    )
    expect(all.blobs[0].recordUri).toBe(recordUri)
    const page = await missing({ limit: '1' })
    expect((await missing({ limit: '1', cursor: page.cursor })).blobs).toEqual([all.blobs[1]])
    expect(await status()).toEqual([2, 0])
    // The record may change, and others may name the blob too.
    expect(await write(gina, 'both', [...blobs, 'changed'])).toMatchObject({ status: 200 })
    expect(await write(gina, 'another', blobs[0])).toMatchObject({ status: 200 })
    await blobOf(server, gina, image)
    expect(await status()).toEqual([2, 1])
    expect((await download(server, gina.did, blobs[0]?.ref.$link ?? '')).status).toBe(200)
  })
})
