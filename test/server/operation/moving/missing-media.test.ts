/** Files that cannot be copied stop a move before its identity changes. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blobPath, blobsName } from '../../../../server/store/files/layout.ts'
import {
  directory,
  filesOf,
  filledAccount,
  moveIn,
  moveOut,
  other,
  proceed,
  server,
  settled,
  setupMoving,
  succeed,
  whileAnswering,
} from '../../../support/accounts/moving.ts'
import { blobOf, png } from '../../../support/records/blobs.ts'
import { adminAuth, refusal, type TestServer } from '../../../support/server/server.ts'

setupMoving()

/** Removes the file of a blob from the disk of a server. */
const loseFile = (at: TestServer, cid: string) => rm(blobPath(join(at.config.dataDir, blobsName), cid))

/** The picture of `filledAccount`. */
const cidOf = async (at: TestServer, did: string) => {
  const { records } = await succeed(
    at.get('com.core.repo.listRecords', { repo: did, collection: 'com.example.note', limit: '100' }),
  )
  const found = records.find(
    (record: { value: { blob?: { size: number } } }) => record.value.blob?.size === 200,
  )
  return { cid: found.value.blob.ref.$link as string, record: found.uri as string }
}

test('move out: stops with the list; the file is uploaded again, or another record is left without its file', async () => {
  const account = await filledAccount(server, 'lossy')
  const { cid, record } = await cidOf(server, account.did)
  await loseFile(server, cid)
  await moveOut(account)
  const stopped = {
    ...{ step: 'media', need: 'media', canCancel: true, blobsCopied: 2, blobsMissing: 1 },
    missingMedia: [{ cid, record, reason: 'notFound', mimeType: 'image/png', size: 200 }],
  }
  expect(await settled(server, account)).toMatchObject(stopped)
  await succeed(proceed(server, account))
  expect(await settled(server, account)).toMatchObject(stopped)
  await blobOf(server, account, png('lossy small'))
  await succeed(proceed(server, account))
  const copied = await settled(server, account)
  expect(copied).toMatchObject({ need: 'code', blobsMissing: 0 })
  expect(copied).not.toHaveProperty('missingMedia')

  // A file that gets lost later stops the last copy, and writes are accepted meanwhile.
  const late = await blobOf(server, account, png('lost later'))
  const note = { repo: account.did, collection: 'com.example.note', record: { blob: late } }
  const { uri } = await succeed(server.post('com.core.repo.createRecord', note, account))
  await loseFile(server, late.ref.$link)
  await succeed(proceed(server, account, { code: await server.codeTo(account.email) }))
  expect(await settled(server, account)).toMatchObject({
    ...{ step: 'media', need: 'media', canCancel: true, writesStopped: false },
    missingMedia: [{ cid: late.ref.$link, record: uri }],
  })
  expect(directory.log(account.did)).toHaveLength(1)
  await succeed(
    server.post('com.core.repo.createRecord', { ...note, record: { text: 'meanwhile' } }, account),
  )
  await succeed(proceed(server, account, { withoutMissingMedia: true }))
  expect(await settled(server, account)).toMatchObject({ step: 'done', blobsMissing: 1 })
  const query = { repo: account.did, collection: 'com.example.note', limit: '100' }
  expect((await succeed(other.get('com.core.repo.listRecords', query))).records).toHaveLength(45)
  expect(Object.keys(await filesOf(other, account.did))).toHaveLength(3)
})

test('move out: a file that the administrator took down is named so, and stays here', async () => {
  const account = await filledAccount(server, 'lacking')
  const { cid, record } = await cidOf(server, account.did)
  const subject = { $type: 'com.core.admin.defs#repoBlobRef', did: account.did, cid }
  const input = { subject, takedown: { applied: true } }
  await succeed(server.post('com.core.admin.updateSubjectStatus', input, adminAuth))
  await moveOut(account)
  expect(await settled(server, account)).toMatchObject({
    ...{ step: 'media', need: 'media' },
    missingMedia: [{ cid, record, reason: 'takenDown', mimeType: 'image/png', size: 200 }],
  })
  const query = { did: account.did, cid }
  expect(await server.get('com.core.sync.getBlob', query, account)).toMatchObject(
    refusal(400, 'BlobTakedown'),
  )
  expect(await server.get('com.core.sync.getBlob', query)).toMatchObject(refusal(400, 'BlobNotFound'))
  await succeed(proceed(server, account, { withoutMissingMedia: true }))
  expect(await settled(server, account)).toMatchObject({ need: 'code', blobsMissing: 1 })
})

test('move in: goes on without the files that its owner accepted, and asks again for others', async () => {
  const account = await filledAccount(other, 'partial')
  const first = await cidOf(other, account.did)
  await loseFile(other, first.cid)
  const { body: here } = await moveIn(account)
  expect(await settled(server, here)).toMatchObject({
    need: 'media',
    missingMedia: [{ ...first, reason: 'notFound', mimeType: 'image/png', size: 200 }],
  })
  await succeed(proceed(server, here, { withoutMissingMedia: true }))
  expect(await settled(server, here)).toMatchObject({ need: 'code', blobsMissing: 1 })

  const late = await blobOf(other, account, png('lost later'))
  const note = { repo: account.did, collection: 'com.example.note', record: { blob: late } }
  await succeed(other.post('com.core.repo.createRecord', note, account))
  await loseFile(other, late.ref.$link)
  await succeed(proceed(server, here, { code: await other.codeTo(account.email) }))
  expect(await settled(server, here)).toMatchObject({ need: 'media', blobsMissing: 2 })
  expect(directory.log(account.did)).toHaveLength(1)
  await succeed(proceed(server, here, { withoutMissingMedia: true }))
  expect(await settled(server, here)).toMatchObject({ step: 'done', blobsMissing: 2 })
})

test('a server that names a strange record, and one that does not serve the repository', async () => {
  const account = await filledAccount(server, 'strange')
  const { cid } = await cidOf(server, account.did)
  await loseFile(server, cid)
  const recordUri = 'at://did:plc:other/<script>/1'
  const list = JSON.stringify({ blobs: [{ cid, recordUri }] })
  await whileAnswering(
    'com.atproto.repo.listMissingBlobs',
    (res) => res.end(list),
    () => moveOut(account).then(() => settled(server, account)),
  )
  expect((await settled(server, account)).missingMedia).toEqual([{ cid, reason: 'notFound' }])

  const taken = await filledAccount(other, 'taken')
  const error = JSON.stringify({ error: 'RepoTakendown', message: 'taken down' })
  const move = await whileAnswering(
    'com.atproto.sync.getBlob',
    (res) => res.writeHead(400, { 'content-type': 'application/json' }).end(error),
    async () => settled(server, (await moveIn(taken)).body),
  )
  expect(move).toMatchObject({ step: 'media', error: expect.stringContaining('taken down') })
  expect(move).not.toHaveProperty('need')
})
