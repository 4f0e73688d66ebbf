import { expect, test } from 'vitest'
import * as deletions from '../../../../server/store/tables/account-deletions.ts'
import { startDidHost } from '../../../support/accounts/did-host.ts'
import { arrive, movingAccount } from '../../../support/accounts/moving-account.ts'
import { archiveOf } from '../../../support/records/archive.ts'
import { day, hour, minute } from '../../../support/server/clock.ts'
import { sweep } from '../../../support/server/maintenance.ts'
import { type Account, adminAuth, refusal, TestServer } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'
import { mentionsOf } from '../../../support/store/scan.ts'

setupServer()

type Auth = Pick<Account, 'accessJwt'>

const ask = (auth: Auth) => server.post('com.core.server.requestAccountDelete', undefined, auth)
const remove = (account: Account, token: string, more: Record<string, unknown> = {}) =>
  server.post(
    'com.core.server.deleteAccount',
    { did: account.did, password: account.password, token, ...more },
    account,
  )

async function tokenFor(account: Account): Promise<string> {
  await ask(account)
  return server.codeTo(account.email)
}

test('deletion: deletes every row of the account except its uses of invite codes', async () => {
  const admin = (nsid: string, input: unknown) => server.post(`com.core.server.${nsid}`, input, adminAuth)
  const { body: invite } = await admin('createInviteCode', { useCount: 2 })
  const alice = await server.account('alice', { inviteCode: invite.code })
  const { body: own } = await admin('createInviteCode', { useCount: 5, forAccount: alice.did })
  const guest = await server.account('guest', { inviteCode: own.code })
  const gift = { useCount: 1, forAccount: guest.did }
  const { body: given } = await server.post('com.core.server.createInviteCode', gift, alice)

  // Something in every table: sessions of both kinds, mail tokens of every purpose, a record.
  await server.confirmEmail(alice)
  await server.appSession(alice, 'phone')
  await server.post('com.core.server.refreshSession', undefined, alice.refreshJwt)
  await server.post('com.core.server.requestPasswordReset', { email: alice.email })
  await server.post('com.core.server.requestEmailUpdate', undefined, alice)
  await server.post('com.core.server.requestEmailConfirmation', undefined, alice)
  const note = { repo: alice.did, collection: 'com.example.note', record: { about: alice.did } }
  expect((await server.post('com.core.repo.createRecord', note, alice)).status).toBe(200)
  const preferences = [{ $type: 'app.example.actor.defs#adultContentPref', enabled: true }]
  await server.post('app.example.actor.putPreferences', { preferences }, alice)
  await server.post('com.core.server.deactivateAccount', { deleteAfter: '2031-01-01T00:00:00Z' }, alice)
  const { store } = server.running.services
  const tables = mentionsOf(store, alice.did).map((mention) => mention.split('.')[0])
  const all = ['accounts', 'app_passwords', 'sessions', 'mail_tokens', 'invite_codes', 'invite_code_uses']
  expect(tables).toEqual(
    expect.arrayContaining([...all, 'actors', 'actor_preferences', 'repo_blocks', 'records']),
  )

  expect((await remove(alice, await tokenFor(alice))).status).toBe(200)
  expect(mentionsOf(store, alice.did)).toEqual([`invite_code_uses.used_by: ${alice.did}`])
  expect(mentionsOf(store, 'alice')).toEqual([])
  expect((await server.signIn(guest)).status).toBe(200)

  const { body: kept } = await server.get('com.core.server.getAccountInviteCodes', {}, guest)
  expect(kept.codes).toMatchObject([{ code: given.code, createdBy: 'admin' }])
})

test('deletion: ends every session at once, and the account cannot sign in', async () => {
  const bob = await server.account('bob')
  const app = await server.appSession(bob, 'phone')
  await remove(bob, await tokenFor(bob))
  const ended = refusal(403, 'AccountNotFound')
  for (const { accessJwt, refreshJwt } of [bob, app]) {
    expect(await server.get('com.core.server.getSession', {}, accessJwt)).toMatchObject(ended)
    expect(await server.post('com.core.server.refreshSession', undefined, refreshJwt)).toMatchObject(ended)
    expect((await server.post('com.core.server.deleteSession', undefined, accessJwt)).status).toBe(200)
  }
  for (const password of [bob.password, app.password]) {
    expect(await server.signIn(bob, { password })).toMatchObject(refusal(401, 'AuthenticationRequired'))
  }
})

test('deletion: the handle and the email address are available to another account', async () => {
  const carla = await server.account('carla')
  await remove(carla, await tokenFor(carla))
  const again = await server.account('carla')
  expect(again.did).not.toBe(carla.did)
  expect(await server.get('com.core.server.getSession', {}, carla)).toMatchObject(
    refusal(403, 'AccountNotFound'),
  )
})

test('deletion: needs the own DID, the main password and the mailed token', async () => {
  const [dan, erin] = [await server.account('dan'), await server.account('erin')]
  const app = await server.appSession(dan, 'phone')
  const token = await tokenFor(dan)
  const erins = await tokenFor(erin)
  const attempts = [
    [{ did: erin.did }, refusal(400, 'InvalidRequest')],
    [{ did: erin.did, password: erin.password, token: erins }, refusal(400, 'InvalidRequest')],
    [{ password: 'not the password' }, refusal(401, 'AuthenticationRequired')],
    [{ password: app.password }, refusal(401, 'AuthenticationRequired')],
    [{ token: 'AAAAA-AAAAA' }, refusal(400, 'InvalidToken')],
    [{ token: erins }, refusal(400, 'InvalidToken')],
  ] as const
  for (const [more, refused] of attempts) expect(await remove(dan, token, more)).toMatchObject(refused)
  for (const account of [dan, erin]) expect((await server.signIn(account)).status).toBe(200)
  expect((await remove(dan, token)).status).toBe(200)
})

test('deletion: a token for another purpose is refused', async () => {
  const frank = await server.account('frank')
  await server.post('com.core.server.requestPasswordReset', { email: frank.email })
  const token = await server.codeTo(frank.email)
  expect(await remove(frank, token)).toMatchObject(refusal(400, 'InvalidToken'))
})

test('deletion: the token is valid for 15 minutes', async () => {
  const grace = await server.account('grace')
  const token = await tokenFor(grace)
  server.clock.advance(15 * minute)
  expect(await remove(grace, token)).toMatchObject(refusal(400, 'ExpiredToken'))
  expect((await remove(grace, await tokenFor(grace))).status).toBe(200)
})

test('an account without a password cannot be deleted with an empty one', async () => {
  const heidi = await server.account('heidi', { password: undefined })
  const token = await tokenFor(heidi)
  for (const password of ['', 'null']) {
    expect(await remove(heidi, token, { password })).toMatchObject(refusal(401, 'AuthenticationRequired'))
  }
})

test('deletion: of two concurrent calls, one succeeds', async () => {
  const ivan = await server.account('ivan')
  const token = await tokenFor(ivan)
  const answers = await Promise.all([remove(ivan, token), remove(ivan, token)])
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(mentionsOf(server.running.services.store, ivan.did)).toEqual([])
})

test('deletion: removes messages to the account from the outbox, not those to a later account with that address', async () => {
  const judy = await server.account('judy')
  expect(await server.mailsTo(judy.email)).toEqual([])
  await remove(judy, await tokenFor(judy))
  const again = await server.account('judy')
  await tokenFor(again)
  await server.running.services.background.idle()
  expect(await server.mailsTo(judy.email)).toHaveLength(1)

  await server.post('com.core.admin.deleteAccount', { did: again.did }, adminAuth)
  await server.running.services.background.idle()
  expect(await server.mailsTo(judy.email)).toEqual([])

  const third = await server.account('judy')
  await tokenFor(third)
  const deleteAfter = new Date(server.clock.now().getTime() + minute).toISOString()
  await server.post('com.core.server.deactivateAccount', { deleteAfter }, third)
  await server.running.services.background.idle()
  server.clock.advance(minute)
  await sweep(server.running.services)
  await server.running.services.background.idle()
  expect(await server.mailsTo(judy.email)).toEqual([])
})

/** Hides an account as `deleteAccount` does, and does not go on. */
function hide(did: string, { running, clock } = server): Promise<void> {
  const { store, operation } = running.services
  return store.transact((tx) => operation.accountDeletion.hide(tx, did, clock.now()))
}

async function withPosts(name: string, count: number, text = 'a post'): Promise<Account> {
  const account = await server.account(name)
  for (let left = count; left > 0; left -= 200) {
    const writes = Array.from({ length: Math.min(left, 200) }, () => ({
      $type: 'com.core.repo.applyWrites#create',
      collection: 'app.example.feed.post',
      value: { $type: 'app.example.feed.post', text, createdAt: '2030-01-01T00:00:00Z' },
    }))
    expect(
      (await server.post('com.core.repo.applyWrites', { repo: account.did, writes }, account)).status,
    ).toBe(200)
  }
  return account
}

test('deletion: an account is hidden at once, and its rows are deleted in parts, also after a crash', async () => {
  const [kurt, lena] = [await withPosts('kurt', 100), await server.account('lena')]
  const { store } = server.running.services
  const post = store.get<{ uri: string; cid: string }>(
    `SELECT 'at://' || a.did || '/app.example.feed.post/' || r.rkey AS uri FROM records r JOIN actors a ON a.id = r.actor
     WHERE a.did = ? ORDER BY r.id LIMIT 1`,
    [kurt.did],
  )
  const follow = { $type: 'app.example.graph.follow', subject: kurt.did, createdAt: '2030-01-01T00:00:00Z' }
  const input = { repo: lena.did, collection: 'app.example.graph.follow', record: follow }
  expect((await server.post('com.core.repo.createRecord', input, lena)).status).toBe(200)
  await hide(kurt.did)

  const records = () =>
    store.get<{ n: number }>(
      'SELECT count(*) AS n FROM records r JOIN actors a ON a.id = r.actor WHERE a.did = ?',
      [kurt.did],
    )?.n
  expect(records()).toBe(100)
  for (const [nsid, params] of [
    ['com.core.sync.getRepo', { did: kurt.did }],
    ['com.core.sync.getLatestCommit', { did: kurt.did }],
    ['com.core.sync.getRepoStatus', { did: kurt.did }],
    ['com.core.repo.listRecords', { repo: kurt.did, collection: 'app.example.feed.post' }],
    ['com.core.repo.describeRepo', { repo: kurt.did }],
    ['com.core.identity.resolveHandle', { handle: kurt.handle }],
  ] as const) {
    expect((await server.get(nsid, params)).status, nsid).toBe(400)
  }
  const { repos } = (await server.get('com.core.sync.listRepos')).body
  expect(repos.map(({ did }: { did: string }) => did)).not.toContain(kurt.did)
  const accounts = (await server.get('com.core.admin.listAccounts', {}, adminAuth)).body.accounts
  expect(accounts.map(({ handle }: { handle: string }) => handle)).not.toContain(kurt.handle)
  expect(
    (await server.get('app.example.feed.getPosts', { uris: [post?.uri ?? ''] }, lena)).body.posts,
  ).toEqual([])
  expect((await server.signIn(kurt)).status).toBe(401)
  expect((await server.get('com.core.server.getSession', {}, kurt)).status).toBe(403)
  const late = { repo: kurt.did, collection: 'com.example.note', record: {} }
  expect((await server.post('com.core.repo.createRecord', late, kurt)).status).toBe(403)
  expect((await server.account('kurt')).did).not.toBe(kurt.did)

  // One part deletes few of many rows.
  const [deletion] = deletions.pending(store)
  await store.transact((tx) => deletions.removeSome(tx, deletion?.id ?? 0))
  expect(records()).toBeGreaterThan(70)
  await server.restart()
  await server.running.services.background.idle()
  // The follow stays: it is a record of another account.
  expect(mentionsOf(server.running.services.store, kurt.did).map((text) => text.split('.')[0])).toEqual(
    expect.not.arrayContaining(['accounts', 'repos', 'records', 'sessions', 'events']),
  )
  expect(deletions.pending(server.running.services.store)).toEqual([])
})

test('deletion: a write that has been accepted before the account is hidden is refused after that', async () => {
  const mona = await server.account('mona')
  const note = { repo: mona.did, collection: 'com.example.note', rkey: '1', record: {} }
  expect((await server.post('com.core.repo.createRecord', note, mona)).status).toBe(200)
  await hide(mona.did)
  const did = mona.did as `did:${string}:${string}`
  const written = server.running.services.repository.repositories.write(did, (draft) => {
    draft.remove('com.example.note', '1' as Parameters<typeof draft.remove>[1])
  })
  await expect(written).rejects.toMatchObject({ name: 'AccountNotFound' })
})

test('deletion: a DID can be imported again once its rows are deleted', async () => {
  const web = await startDidHost()
  const private_ = await TestServer.start({ allowPrivateTargets: true })
  try {
    const nora = await movingAccount(private_, web, 'nora')
    await arrive(private_, web, nora)
    const { background } = private_.running.services
    await hide(nora.did, private_)
    await expect(movingAccount(private_, web, 'nora')).rejects.toThrow('still being deleted')
    await sweep(private_.running.services)
    await background.idle()
    expect((await movingAccount(private_, web, 'nora')).did).toBe(nora.did)
  } finally {
    await private_.close()
    await web.close()
  }
})

test('deletion: an archive that the deleted account sent is not imported into a later account of its DID', async () => {
  const web = await startDidHost()
  const private_ = await TestServer.start({ allowPrivateTargets: true })
  try {
    const { services } = private_.running
    const first = await movingAccount(private_, web, 'rita')
    const did = first.did as `did:${string}:${string}`
    const archive = archiveOf({ did, records: [['com.example.note/ghost', { text: 'ghost' }]] })
    // Its verification may wait for minutes behind other archives.
    async function* sent() {
      yield archive
      await hide(did, private_)
      await services.operation.accountDeletion.finishAll()
      await movingAccount(private_, web, 'rita')
    }
    const imported = services.repository.importer.importArchive(did, sent())
    await expect(imported).rejects.toMatchObject({ message: expect.stringContaining('has changed') })
    expect(mentionsOf(services.store, 'ghost')).toEqual([])
  } finally {
    await private_.close()
    await web.close()
  }
})

test('maintenance: an account that cannot be deleted stops neither other deletions nor the expiry of sessions', async () => {
  const logged = await TestServer.start({ logLevel: 'error' })
  try {
    const [owen, pia, quin] = [
      await logged.account('owen'),
      await logged.account('pia'),
      await logged.account('quin'),
    ]
    const { store } = logged.running.services
    await store.transact((tx) =>
      tx.run(`CREATE TRIGGER broken BEFORE UPDATE OF did ON accounts WHEN OLD.handle = 'owen.test'
        BEGIN SELECT RAISE(ABORT, 'a broken row'); END`),
    )
    const deleteAfter = new Date(logged.clock.now().getTime() + hour).toISOString()
    for (const account of [owen, pia]) {
      await logged.post('com.core.server.deactivateAccount', { deleteAfter }, account)
    }
    const sessions = (did: string) => store.all('SELECT id FROM sessions WHERE did = ?', [did]).length
    expect(sessions(quin.did)).toBe(1)
    logged.clock.advance(100 * day)
    // A clock that jumps is implausible until its time is confirmed.
    await logged.running.services.clock.confirm()
    await sweep(logged.running.services)
    expect(sessions(quin.did)).toBe(0)
    expect(mentionsOf(store, pia.did)).toEqual([])
    expect(logged.logged.filter((line) => line.includes(owen.did))).toHaveLength(1)
  } finally {
    await logged.close()
  }
})
