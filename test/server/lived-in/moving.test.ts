/** An account that has been used for a year moves to another server, with all of its records, files and preferences. */
import { beforeAll, expect, test } from 'vitest'
import { importRepo } from '../../support/accounts/moving-account.ts'
import { viewsOf } from '../../support/lived-in/contents.ts'
import { directory, lived, peer, people, setupLivedIn } from '../../support/lived-in/lived-in.ts'
import { download } from '../../support/records/blobs.ts'
import type { TestServer } from '../../support/server/server.ts'
import { server } from '../../support/server/setup.ts'
import { body } from '../../support/server/social.ts'

setupLivedIn()

const get = async (
  at: TestServer,
  nsid: string,
  params: Record<string, string>,
  auth?: { accessJwt: string },
) => body(await at.get(nsid, params, auth))

async function recordsOf(at: TestServer): Promise<Record<string, unknown>> {
  const repo = people.ann.did
  const { collections } = await get(at, 'com.core.repo.describeRepo', { repo })
  const lists = (collections as string[]).map(async (collection) => {
    const { records } = await get(at, 'com.core.repo.listRecords', { repo, collection, limit: '100' })
    return [collection, records] as const
  })
  return Object.fromEntries(await Promise.all(lists))
}

async function filesOf(at: TestServer): Promise<Record<string, string>> {
  const { did } = people.ann
  const { cids } = await get(at, 'com.core.sync.listBlobs', { did })
  const files = (cids as string[]).map(async (cid) => {
    const answer = await download(at, did, cid)
    return [cid, `${answer.status} ${Buffer.from(await answer.arrayBuffer()).toString('base64')}`] as const
  })
  return Object.fromEntries(await Promise.all(files))
}

async function archive(): Promise<Uint8Array<ArrayBuffer>> {
  const path = `/xrpc/com.core.sync.getRepo?did=${people.ann.did}`
  const headers = { authorization: `Bearer ${people.ann.accessJwt}` }
  return new Uint8Array(await (await fetch(server.url + path, { headers })).arrayBuffer())
}

const act = async (at: TestServer, nsid: string, input: object | undefined, auth: { accessJwt: string }) =>
  body(await at.post(nsid, input, auth))
const setDown = (subject: object, applied: boolean) =>
  act(server, 'com.core.admin.updateSubjectStatus', { subject, takedown: { applied } }, people.olga)
const preferencesOf = (at: TestServer, auth: { accessJwt: string }) =>
  get(at, 'app.example.actor.getPreferences', {}, auth)

/** Lets a move go on, and returns its state. */
async function proceed(at: TestServer, auth: { accessJwt: string }, input: object) {
  await act(at, 'com.core.move.continueMove', input, auth)
  await at.running.services.background.idle()
  return (await get(at, 'com.core.move.getMove', {}, auth)).move
}

beforeAll(async () => {
  directory.mode = 'up'
  await server.restart()
  await server.running.services.background.idle()
})

test('an export that is imported again changes nothing that persons see', async () => {
  const { did } = people.ann
  const viewsBy = async (viewer: { accessJwt: string }) => {
    // An import is a new commit.
    const { 'com.core.sync.getLatestCommit': _, ...rest } = await viewsOf(server, did, viewer)
    return rest
  }
  const views = async () => [
    await viewsBy(people.ann),
    await viewsBy(people.ben),
    await recordsOf(server),
    await filesOf(server),
  ]
  const before = await views()
  await act(server, 'com.core.server.deactivateAccount', {}, people.ann)
  expect((await importRepo(server, people.ann, await archive())).status).toBe(200)
  await act(server, 'com.core.server.activateAccount', undefined, people.ann)
  expect(await views()).toEqual(before)
})

test('the account moves to another server and back, and only a file that was taken down stays behind', async () => {
  const { ann } = people
  const { did, email } = ann
  const down = { $type: 'com.core.admin.defs#repoBlobRef', did, cid: lived.made.picture }
  const record = { $type: 'com.core.repo.strongRef', ...lived.made.gallery }
  const { [lived.made.picture]: _, ...files } = await filesOf(server)
  await setDown(record, false)
  const records = await recordsOf(server)
  await setDown(record, true)
  const preferences = await preferencesOf(server, ann)

  expect(await proceed(server, ann, {})).toMatchObject({
    need: 'media',
    missingMedia: [{ cid: down.cid, reason: 'takenDown' }],
  })
  expect(await proceed(server, ann, { withoutMissingMedia: true })).toMatchObject({ need: 'code' })
  const out = await proceed(server, ann, { code: await server.codeTo(email) })
  expect(out).toMatchObject({ step: 'done' })
  const there = { ...ann, ...body(await peer.signIn({ handle: email, password: ann.password })) }
  expect(there).toMatchObject({ active: true })
  expect(await recordsOf(peer)).toEqual(records)
  expect(await filesOf(peer)).toEqual(files)
  expect(await preferencesOf(peer, there)).toEqual(preferences)

  await act(server, 'com.core.admin.deleteAccount', { did }, people.olga)
  await server.running.services.background.idle()
  peer.clock.advance(server.clock.now().getTime() - peer.clock.now().getTime())
  const input = { identifier: did, password: ann.password, handle: 'ann.test', newPassword: ann.password }
  const here = body(await server.post('com.core.move.moveIn', input))
  await server.running.services.background.idle()
  expect(await proceed(server, here, { withoutMissingMedia: true })).toMatchObject({ need: 'code' })
  expect(await proceed(server, here, { code: await peer.codeTo(email) })).toMatchObject({ step: 'done' })
  expect(await recordsOf(server)).toEqual(records)
  expect(await filesOf(server)).toEqual(files)
  expect(await preferencesOf(server, here)).toEqual(preferences)
})
