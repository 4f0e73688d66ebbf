/** Media that this computer has lost are fetched from a place that has them. */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blobOf, download, png } from '../../../support/records/blobs.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

let root: string
let folder: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pds-media-'))
  folder = join(root, 'place')
  await mkdir(folder)
})
afterAll(() => rm(root, { recursive: true }))
setupServer({ config: () => ({ copies: [pathToFileURL(folder).href] }), accounts: ['alice'] })

const content = png('lost', 2000)

async function missing(): Promise<string[]> {
  const { blobs } = (await server.get('com.core.repo.listMissingBlobs', {}, alice)).body
  return blobs.map((blob: { cid: string }) => blob.cid)
}

test('a lost media file is fetched from a place and served again', async () => {
  const avatar = await blobOf(server, alice, content)
  const cid = avatar.ref.$link
  const record = { $type: 'app.example.actor.profile', avatar }
  const input = { repo: alice.did, collection: 'app.example.actor.profile', rkey: 'self', record }
  expect((await server.post('com.core.repo.putRecord', input, alice)).status).toBe(200)
  const { copies } = server.running.services.operation
  await copies.flush(60_000)

  await rm(join(server.config.dataDir, 'blobs', cid.slice(-2), cid))
  await server.running.services.repository.blobs.examine([cid])
  expect(await missing()).toEqual([cid])
  await copies.fetchMissingMedia()

  expect(await missing()).toEqual([])
  const answer = await download(server, alice.did, cid)
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(content)
  expect(await readdir(join(server.config.dataDir, 'copies'))).not.toContain('missing-media')
})
