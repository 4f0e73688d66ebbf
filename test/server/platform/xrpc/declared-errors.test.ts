/**
 * Provokes every error that a lexicon declares. The list of errors comes from the lexicons, the provoking call from the table
 * `provoke` below. A declared error without an entry fails the test.
 */
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { P256Keypair } from '@atproto/crypto'
import type { DidString } from '@atproto/syntax'
import { expect, test, vi } from 'vitest'
import { methods } from '../../../../server/api/index.ts'
import { insertRequest } from '../../../../server/identity/tables/oauth.ts'
import { type Host, PlacesNotSaved } from '../../../../server/operation/host.ts'
import { CredentialsUnavailable } from '../../../../server/operation/replicas/credentials.ts'
import type { Restores } from '../../../../server/operation/replicas/restores/restores.ts'
import type { KeptSettings } from '../../../../server/platform/config/kept-settings.ts'
import { noMailServer } from '../../../../server/platform/config/mail-server.ts'
import * as moves from '../../../../server/repository/tables/moves.ts'
import type { ServerOptions } from '../../../../server/server.ts'
import { StoreUnavailable } from '../../../../server/store/files/store-errors.ts'
import { iso } from '../../../../server/util/time.ts'
import { PasskeyDevice } from '../../../support/accounts/passkey.ts'
import { refusedRecovery } from '../../../support/accounts/recovery.ts'
import {
  answer,
  ask,
  find,
  friend,
  LocalNetwork,
  type Neighbour,
} from '../../../support/network/local-network.ts'
import { blobOf, png } from '../../../support/records/blobs.ts'
import { fillDrafts } from '../../../support/records/drafts.ts'
import { minute } from '../../../support/server/clock.ts'
import { type Account, type Answer, adminAuth, TestServer } from '../../../support/server/server.ts'
import { owner, server, setupServer } from '../../../support/server/setup.ts'
import { json, StubService } from '../../../support/services/stub-service.ts'
import { webDevice } from '../../../support/services/web-push.ts'

/** Restores nothing. */
const restores: Restores = {
  state: { step: 'none' },
  points: () => Promise.reject(new Error('The folder is empty.')),
  ...{ open: () => undefined, restore: () => false, undo: async () => false, cancel: async () => {} },
}
/** Runs the server as `npm run serve` does, but starts it never again. */
const mail = {
  read: async () => ({
    server: noMailServer,
    password: undefined,
    config: { smtpUrl: undefined, mailFrom: '' },
  }),
  save: async () => {},
  setBy: undefined,
}
/** No program listens at its port. */
const someMail = { mailServer: { ...noMailServer, host: '127.0.0.1', port: '1' }, to: 'olga@example.test' }

const host: Host = {
  places: { list: () => [], save: async () => {}, setBy: undefined },
  mail,
  restart: async () => {},
  restores,
}

// The owner may call every method while its account is active.
setupServer({ accounts: ['owner-of-all'], options: { host } })

type State = 'takedown' | 'suspended' | 'deactivated'

const unknownDid = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const wrongToken = 'AAAAA-AAAAA'

let accounts = 0
const newAccount = (more: Record<string, unknown> = {}) => server.account(`account-${++accounts}`, more)

function core(nsid: string, input?: unknown, auth?: Account | string): Promise<Answer> {
  return server.post(`com.core.${nsid}`, input, auth)
}

/** Uses an emailed code after it has expired. */
async function afterExpiry(
  account: Account,
  attempt: (token: string) => Promise<Answer>,
  at = server,
): Promise<Answer> {
  const token = await at.codeTo(account.email)
  at.clock.advance(15 * minute)
  return attempt(token)
}

/** Calls as the owner while the account has a status. */
async function whileIn(state: State, attempt: (owner: Account) => Promise<Answer>): Promise<Answer> {
  const { body: session } = await server.signIn(owner)
  await server.setStatus(owner.did, { [state]: true })
  const answer = await attempt({ ...owner, ...session })
  await server.setStatus(owner.did, { [state]: false })
  return answer
}

/** Stores the request of an app. @param isFresh whether it asks for a new sign-in. @returns its id */
async function appRequest({
  loginHint = null,
  isFresh = false,
}: {
  loginHint?: string | null
  isFresh?: boolean
}) {
  const id = `request ${++accounts}`
  const now = server.clock.now()
  const parameters = {
    redirectUri: 'https://app.example/',
    codeChallenge: id,
    permissions: 'atproto',
    ...(isFresh && { signedInAfter: iso(now) }),
  }
  await server.running.services.store.transact((tx) =>
    insertRequest(tx, {
      ...{ id, source: Buffer.from('x'), clientId: 'https://app.example/client.json', clientKey: null },
      network: Buffer.from('x'),
      ...{ dpopKey: 'x', loginHint, parameters: JSON.stringify(parameters), createdAt: iso(now) },
      expiresAt: iso(new Date(now.getTime() + minute)),
    }),
  )
  return id
}

async function narrowSession(): Promise<Account> {
  const account = await newAccount()
  await server.setStatus(account.did, { takedown: true })
  return { ...account, ...(await server.signIn(account, { allowTakendown: true })).body }
}

async function confirmed(at = server): Promise<Account> {
  const account = await at.account(`account-${++accounts}`)
  await at.confirmEmail(account)
  await at.post('com.core.server.requestEmailUpdate', undefined, account)
  return account
}

async function secondFactor(at = server): Promise<Account> {
  const account = await confirmed(at)
  const { email } = account
  const input = { email, emailAuthFactor: true, token: await at.codeTo(email) }
  await at.post('com.core.server.updateEmail', input, account)
  return account
}

const noSettings = {
  ...{ file: 'settings.json', list: () => [], proven: () => ({ text: '', setBy: undefined }) },
  ...{ problemsWith: () => ({}), change: async () => ({}) },
}

/** Runs with a server whose owner changes its settings, and where copies are. */
async function withSettings(
  parts: Partial<KeptSettings>,
  attempt: (another: TestServer) => Promise<Answer>,
): Promise<Answer> {
  const another = await TestServer.start({}, undefined, { host, settings: { ...noSettings, ...parts } })
  try {
    await mkdir(join(another.config.dataDir, replacedName))
    return await attempt(another)
  } finally {
    await another.close()
  }
}

/** The errors of a method that takes the owner's proof, on the computer of the server. */
const provingOwner = (method: string, input: object = {}) => {
  const name = `com.core.admin.${method}`
  const send = (another: TestServer, { accessJwt, password }: Account, authFactorToken?: string) =>
    another.post(name, { ...input, password, authFactorToken }, { accessJwt })
  return {
    [`${name} NotAtThisComputer`]: () => callElsewhere(method, input),
    [`${name} PasswordRequired`]: () =>
      withSettings({}, async (another) => another.post(name, input, await another.account('olga'))),
    [`${name} AuthFactorTokenRequired`]: () =>
      withSettings({}, async (another) => send(another, await secondFactor(another))),
    [`${name} InvalidToken`]: () =>
      withSettings({}, async (another) => send(another, await secondFactor(another), wrongToken)),
    [`${name} ExpiredToken`]: () =>
      withSettings({}, async (another) => {
        const account = await secondFactor(another)
        await send(another, account)
        return afterExpiry(account, (token) => send(another, account, token), another)
      }),
  }
}

/** Calls with the admin password on another server, with other options. */
async function elsewhereWith(options: ServerOptions, name: string, input?: object): Promise<Answer> {
  const another = await TestServer.start({}, undefined, options)
  try {
    return await another.post(`com.core.admin.${name}`, input, adminAuth)
  } finally {
    await another.close()
  }
}

async function readWithoutHost(name: string, params: Record<string, string> = {}): Promise<Answer> {
  const another = await TestServer.start()
  try {
    return await another.get(`com.core.admin.${name}`, params, adminAuth)
  } finally {
    await another.close()
  }
}

const replacedName = 'replaced-20260101T000000000Z'

const lockedKeeper = {
  read: () => Promise.reject(new CredentialsUnavailable('Unlock the keyring.')),
  write: async () => {},
}
const anyFolder = { kind: 'folder', address: tmpdir() }

const proposal = {
  ...{ id: 'x'.repeat(16), commitment: 'x' },
  card: { did: unknownDid, handle: 'x.test', name: 'x', port: 1 },
}
const foreignPage = (input: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
  body: JSON.stringify(input),
})
/** Runs with two servers on a local network of their own. */
async function onNetwork(attempt: (alice: Neighbour, bob: Neighbour) => Promise<Answer>): Promise<Answer> {
  const network = await LocalNetwork.open()
  try {
    return await attempt(await network.join('alice'), await network.join('bob'))
  } finally {
    await network.close()
  }
}

const contact = (method: string, input: object) => server.post(`app.example.contact.${method}`, input, owner)
const passkeyOptions = async (account: Account, authFactorToken?: string) =>
  (await core('factor.startPasskey', { password: account.password, authFactorToken }, account)).body.options
const ownPage = () => ({ origin: `http://localhost:${new URL(server.url).port}` })
const addPasskey = (account: Account, options: { challenge: string }, device = new PasskeyDevice()) =>
  core('factor.addPasskey', { name: 'x', response: device.create(options, ownPage()) }, account)
/** A code of a passkey. */
async function proofBy(device: PasskeyDevice): Promise<string> {
  const { body } = await core('factor.challengePasskey')
  const proven = await core('factor.provePasskey', { response: device.use(body.options, ownPage()) })
  return proven.body.token
}
/** As many as an account can have. @returns the first one */
async function addPasskeys(account: Account): Promise<PasskeyDevice> {
  const first = new PasskeyDevice()
  await addPasskey(account, await passkeyOptions(account), first)
  for (let count = 1; count < 20; count++)
    await addPasskey(account, await passkeyOptions(account, await proofBy(first)))
  return first
}
/** What is sent with the main password, and with a code of a second factor. */
const proving = (method: string, input: (account: Account) => object | Promise<object> = () => ({})) => {
  const send = async (account: Account, authFactorToken?: string) =>
    core(method, { ...(await input(account)), password: account.password, authFactorToken }, account)
  return {
    [`com.core.${method} AuthFactorTokenRequired`]: async () => send(await secondFactor()),
    [`com.core.${method} InvalidToken`]: async () => send(await secondFactor(), wrongToken),
    [`com.core.${method} ExpiredToken`]: async () => {
      const account = await secondFactor()
      await send(account)
      return afterExpiry(account, (token) => send(account, token))
    },
  }
}
const createAccount = (more: Record<string, unknown>) =>
  core('server.createAccount', { handle: 'new-here.test', password: 'a password', ...more })
/** Imports the DID of the owner, with a service token of its own server. */
const importOwner = async (claims: Record<string, string>, token?: string) => {
  const wanted = { aud: 'did:web:pds.test', lxm: 'com.core.server.createAccount', ...claims }
  // Expiries that were tested before have outlived the first session.
  const { body: session } = await server.signIn(owner)
  const { body } = await server.get('com.core.server.getServiceAuth', wanted, { ...owner, ...session })
  const input = { did: owner.did, handle: 'new-here.test', password: 'a password' }
  return server.post('com.core.server.createAccount', input, token ?? body.token)
}
const appPassword = (account: Account, name: string) => core('server.createAppPassword', { name }, account)
const inviteCode = (account: Account) => core('server.createInviteCode', { useCount: 1 }, account)
const inviteCodes = (account: Account) =>
  core('server.createInviteCodes', { codeCount: 1, useCount: 1 }, account)
const confirm = (account: Account, token: string, email = account.email) =>
  core('server.confirmEmail', { email, token }, account)
const updateEmail = (account: Account, token?: string) =>
  core('server.updateEmail', { email: account.email, token }, account)
const deletion = (account: Account, token: string) =>
  core('server.deleteAccount', { did: account.did, password: account.password, token }, account)
/** Sent through a proxy. */
const elsewhere = { 'x-forwarded-for': '192.0.2.7' }

/** Calls a method of administrators from another computer. */
function readElsewhere(name: string) {
  return server.fetch(`/xrpc/com.core.admin.${name}`, { headers: { authorization: adminAuth, ...elsewhere } })
}

function callElsewhere(name: string, input?: object) {
  return server.fetch(`/xrpc/com.core.admin.${name}`, {
    method: 'POST',
    headers: {
      ...{ authorization: adminAuth, ...elsewhere },
      ...(input && { 'content-type': 'application/json' }),
    },
    ...(input && { body: JSON.stringify(input) }),
  })
}

/** Calls while the disk has too little space for work on backups. */
async function withoutSpace(
  work: 'make' | 'find' | 'delete',
  attempt: () => Promise<Answer>,
): Promise<Answer> {
  const failing = vi.spyOn(server.running.services.operation.backups, work)
  failing.mockRejectedValue(new StoreUnavailable('The disk has too little free space. Free disk space.'))
  const answer = await attempt()
  failing.mockRestore()
  return answer
}
const reset = (token: string, password = 'a new password') =>
  core('server.resetPassword', { token, password })
const adminPassword = (did: string, password: string) =>
  core('admin.updateAccountPassword', { did, password }, adminAuth)
const ownHandle = (account: Account, handle: string) => core('identity.updateHandle', { handle }, account)
const someKey = async () => (await P256Keypair.create()).did()
const addKey = (account: Account, key: string) =>
  core('identity.addRecoveryKey', { key, password: account.password }, account)
const removeKey = (account: Account, key: string) =>
  core('identity.removeRecoveryKey', { key, password: account.password }, account)
const adminHandle = (did: string, handle: string) =>
  core('admin.updateAccountHandle', { did, handle }, adminAuth)

const collection = 'com.example.note'
const unknownCid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const staleCid = 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'
const write = (method: string, account: Account, more: Record<string, unknown> = {}) =>
  core(`repo.${method}`, { repo: account.did, collection, rkey: 'one', record: {}, ...more }, account)
const writes = (account: Account, more: Record<string, unknown> = {}, value: unknown = {}) => {
  const $type = 'com.core.repo.applyWrites#create'
  return core(
    'repo.applyWrites',
    { repo: account.did, writes: [{ $type, collection, value }], ...more },
    account,
  )
}
const staleWrite = async (method: string) => write(method, await newAccount(), { swapCommit: staleCid })

/** The errors of a record whose reference to a blob is wrong. */
function wrongBlob(method: string, attempt: (record: unknown, account: Account) => Promise<Answer>) {
  const tryWith = (changes: Record<string, unknown>) => async () => {
    const account = await newAccount()
    const blob = await blobOf(server, account, png(account.handle))
    return attempt({ blob: { ...blob, ...changes } }, account)
  }
  return {
    [`com.core.repo.${method} BlobNotFound`]: tryWith({ ref: { $link: unknownCid } }),
    [`com.core.repo.${method} InvalidMimeType`]: tryWith({ mimeType: 'image/gif' }),
    [`com.core.repo.${method} InvalidSize`]: tryWith({ size: 1 }),
  }
}

/** The errors of methods that read a repository. */
function reading(nsid: string, params: Record<string, string> = {}, name = 'repo') {
  const read = (repo: string) => server.get(nsid, { [name]: repo, ...params })
  const readIn = (state: State) => whileIn(state, () => read(owner.did))
  return {
    [`${nsid} RepoNotFound`]: () => read(unknownDid),
    [`${nsid} RepoTakendown`]: async () => {
      const { did } = await narrowSession()
      return read(did)
    },
    [`${nsid} RepoSuspended`]: () => readIn('suspended'),
    [`${nsid} RepoDeactivated`]: () => readIn('deactivated'),
  }
}

/** The errors of methods that require an active account. */
function writing(nsid: string, attempt: (account: Account) => Promise<Answer>) {
  return {
    [`${nsid} AccountDeactivated`]: () => whileIn('deactivated', attempt),
    [`${nsid} AccountSuspended`]: () => whileIn('suspended', attempt),
  }
}

const notified = (method: string, input: unknown, account: Account) =>
  server.post(`app.example.notification.${method}`, input, account)
const push = webDevice
const ios = { token: 'device', platform: 'ios', appId: 'app.test' }
const moveInput = { identifier: 'a.example', password: 'a', handle: 'a.test', newPassword: 'a password' }

/** Calls a server that accounts can move to, while their old server asks for a second factor. */
async function atOldServer(attempt: (here: TestServer, url: string) => Promise<Answer>): Promise<Answer> {
  const old = await StubService.start()
  old.respond = json({ error: 'AuthFactorTokenRequired' }, 401)
  const here = await TestServer.start({ plcUrl: old.url, allowPrivateTargets: true })
  try {
    return await attempt(here, old.url)
  } finally {
    await Promise.all([here.close(), old.close()])
  }
}

/** Signs in again at the old server of a move. */
async function continueThere(here: TestServer, url: string): Promise<Answer> {
  const account = await here.account('mover')
  await here.running.services.store.transact((tx) => {
    const tokens = { accessJwt: 'none', refreshJwt: 'none' }
    moves.start(
      tx,
      { ...account, ...tokens, did: account.did as DidString, direction: 'in', peer: url, byAdmin: 0 },
      0,
    )
    moves.update(tx, account.did, { need: 'signIn' }, 0)
  })
  return here.post('com.core.move.continueMove', { password: 'a password' }, account)
}

const profile = (actor: string) => server.get('app.example.actor.getProfile', { actor })
const bookmarked = (method: string, input: unknown, account: Account) =>
  server.post(`app.example.bookmark.${method}`, input, account)
const draft = { posts: [{ text: 'A draft' }] }
const draftId = '3jzfcijpj2z2a'
const drafted = (method: string, input: unknown, account: Account) =>
  server.post(`app.example.draft.${method}`, input, account)
/** Creates an account with a number of drafts. */
async function withDrafts(count: number): Promise<Account> {
  const account = await newAccount()
  await fillDrafts(server.running.services.store, account.did, count)
  return account
}
const postUri = `at://${unknownDid}/app.example.feed.post/3jzfcijpj2z2a`
const listUri = `at://${unknownDid}/app.example.graph.list/3jzfcijpj2z2a`
const likeUri = `at://${unknownDid}/app.example.feed.like/3jzfcijpj2z2a`

/** Requests the posts of the other account after one has blocked the other. */
async function authorFeedOfBlocked(reader: (blocker: Account, blocked: Account) => Account): Promise<Answer> {
  const [blocker, blocked] = [await newAccount(), await newAccount()]
  const record = { subject: blocked.did, createdAt: server.clock.now().toISOString() }
  const block = { repo: blocker.did, collection: 'app.example.graph.block', record }
  await core('repo.createRecord', block, blocker)
  const who = reader(blocker, blocked)
  const actor = who === blocker ? blocked.did : blocker.did
  return server.get('app.example.feed.getAuthorFeed', { actor }, who)
}

/** Adds a server as an upstream. @param body the server's response */
async function addUpstream(body: object, times = 1): Promise<Answer> {
  const other = await StubService.start()
  other.respond = json(body)
  const add = () => core('admin.addUpstream', { url: other.url }, adminAuth)
  const answers = [await add()]
  while (answers.length < times) answers.push(await add())
  await core('admin.removeUpstream', { url: other.url }, adminAuth)
  await other.close()
  return answers.at(-1) as Answer
}

/** Asks a server for an identity whose directory answers with a status. */
async function identityIn(status: number, method: string): Promise<Answer> {
  const directory = await StubService.start()
  directory.respond = (res, req) => res.writeHead(req.method === 'POST' ? 200 : status).end()
  const other = await TestServer.start({ plcUrl: directory.url, allowPrivateTargets: true })
  const account = await other.account('asking')
  const nsid = `com.core.identity.${method}`
  const answer = await (method === 'refreshIdentity'
    ? other.post(nsid, { identifier: unknownDid }, account)
    : other.get(nsid, { did: unknownDid, identifier: unknownDid }))
  await other.close()
  await directory.close()
  return answer
}

const video = (name: string, input: object) => server.post(`app.example.video.${name}`, input, owner)

const provoke: Readonly<Record<string, () => Promise<Answer>>> = {
  'app.example.ageassurance.begin RegionNotSupported': () => {
    const input = { email: owner.email, language: 'en', countryCode: 'DE' }
    return server.post('app.example.ageassurance.begin', input, owner)
  },
  'app.example.contact.importContacts InvalidToken': () =>
    contact('importContacts', { token: 'x', contacts: ['+12125550123'] }),
  'app.example.contact.startPhoneVerification InvalidPhone': () =>
    contact('startPhoneVerification', { phone: '+12125550123' }),
  'app.example.contact.verifyPhone InvalidCode': () =>
    contact('verifyPhone', { phone: '+12125550123', code: '000000' }),
  'chat.example.convo.getConvoForMembers MessagesDisabled': () =>
    server.get('chat.example.convo.getConvoForMembers', { members: [unknownDid] }, owner),
  'com.core.admin.closeReport ReportNotFound': () =>
    core('admin.closeReport', { id: 1_000_000, resolution: 'resolved' }, adminAuth),
  'com.core.admin.deleteAccount NotFound': () => core('admin.deleteAccount', { did: unknownDid }, adminAuth),
  ...Object.fromEntries(
    Object.entries({
      disableAccountInvites: { account: unknownDid },
      enableAccountInvites: { account: unknownDid },
      sendEmail: { recipientDid: unknownDid, senderDid: unknownDid, content: 'Hello' },
      updateAccountEmail: { account: 'unknown.test', email: 'new@mail.test' },
      updateAccountHandle: { did: unknownDid, handle: 'unknown.test' },
    }).map(([name, input]) => [
      `com.core.admin.${name} NotFound`,
      () => core(`admin.${name}`, input, adminAuth),
    ]),
  ),
  'com.core.admin.getAccountInfo NotFound': () =>
    server.get('com.core.admin.getAccountInfo', { did: unknownDid }, adminAuth),
  'com.core.admin.updateAccountHandle HandleNotAvailable': async () =>
    adminHandle((await newAccount()).did, owner.handle),
  'com.core.admin.updateAccountHandle InvalidHandle': () => adminHandle(owner.did, 'x.test'),
  'com.core.admin.updateAccountHandle UnsupportedDomain': () => adminHandle(owner.did, 'alice.example.com'),
  'com.core.admin.getSubjectStatus NotFound': () =>
    server.get('com.core.admin.getSubjectStatus', { did: unknownDid }, adminAuth),
  'com.core.admin.removeSecondFactors NotFound': () =>
    core('admin.removeSecondFactors', { did: unknownDid }, adminAuth),
  'com.core.admin.updateAccountPassword InvalidPassword': () => adminPassword(owner.did, 'short'),
  'com.core.admin.updateAccountPassword NotFound': () => adminPassword(unknownDid, 'a new password'),
  'com.core.admin.updateSubjectStatus NotFound': () => {
    const subject = { $type: 'com.core.admin.defs#repoRef', did: unknownDid }
    return core('admin.updateSubjectStatus', { subject, deactivated: { applied: false } }, adminAuth)
  },

  'com.core.server.checkDomain DomainNotFound': () =>
    server.get('com.core.server.checkDomain', { domain: 'unknown.test' }),
  'com.core.server.receiveProbe ProbeNotFound': () =>
    server.fetch('/xrpc/com.core.server.receiveProbe?nonce=unknown', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: 'x',
    }),
  'com.core.identity.addRecoveryKey InvalidKey': async () => addKey(await newAccount(), 'did:key:none'),
  'com.core.identity.addRecoveryKey TooManyKeys': async () => {
    const account = await newAccount()
    for (let n = 0; n < 9; n++) await addKey(account, await someKey())
    return addKey(account, await someKey())
  },
  'com.core.identity.removeRecoveryKey InvalidKey': async () => {
    const account = await newAccount()
    const { body } = await server.get('com.core.identity.listRotationKeys', {}, account)
    return removeKey(account, body.keys[0].key)
  },
  'com.core.identity.removeRecoveryKey KeyNotFound': async () =>
    removeKey(await newAccount(), await someKey()),
  'com.core.identity.signPlcOperation InvalidToken': async () =>
    core('identity.signPlcOperation', { token: wrongToken }, await newAccount()),
  'com.core.identity.signPlcOperation ExpiredToken': async () => {
    const account = await newAccount()
    await core('identity.requestPlcOperationSignature', undefined, account)
    return afterExpiry(account, (token) => core('identity.signPlcOperation', { token }, account))
  },
  'com.core.identity.resolveDid DidNotFound': () => identityIn(404, 'resolveDid'),
  'com.core.identity.resolveDid DidDeactivated': () => identityIn(410, 'resolveDid'),
  'app.example.video.abortUpload UploadNotFound': () => video('abortUpload', { jobId: 'none' }),
  'app.example.video.finishUpload UploadNotFound': () => video('finishUpload', { jobId: 'none' }),
  'app.example.video.getUploadStatus UploadNotFound': () =>
    server.get('app.example.video.getUploadStatus', { jobId: 'none' }, owner),
  'app.example.video.startUpload UploadForbidden': () =>
    video('startUpload', { sizeBytes: 1, mimeType: 'video/mp4' }),
  'app.example.video.uploadPart UploadNotFound': () =>
    server.fetch('/xrpc/app.example.video.uploadPart?jobId=none&partNumber=1', {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.accessJwt}`, 'content-type': 'application/octet-stream' },
      body: 'x',
    }),

  'com.core.lexicon.resolveLexicon LexiconNotFound': () =>
    server.get('com.core.lexicon.resolveLexicon', { nsid: 'example.notes.note' }),
  'com.core.identity.resolveIdentity HandleNotFound': () =>
    server.get('com.core.identity.resolveIdentity', { identifier: 'unknown.test' }),
  'com.core.identity.resolveIdentity DidNotFound': () => identityIn(404, 'resolveIdentity'),
  'com.core.identity.resolveIdentity DidDeactivated': () => identityIn(410, 'resolveIdentity'),
  'com.core.identity.refreshIdentity HandleNotFound': () =>
    core('identity.refreshIdentity', { identifier: 'unknown.test' }, owner),
  'com.core.identity.refreshIdentity DidNotFound': () => identityIn(404, 'refreshIdentity'),
  'com.core.identity.refreshIdentity DidDeactivated': () => identityIn(410, 'refreshIdentity'),
  'com.core.sync.getHostStatus HostNotFound': () =>
    server.get('com.core.sync.getHostStatus', { hostname: 'relay.example' }),
  'com.core.identity.updateHandle HandleNotAvailable': async () =>
    ownHandle(await newAccount(), owner.handle),
  'com.core.identity.updateHandle InvalidHandle': async () => ownHandle(await newAccount(), 'x.test'),
  'com.core.identity.updateHandle UnsupportedDomain': async () =>
    ownHandle(await newAccount(), 'alice.example.com'),
  'com.core.identity.resolveHandle HandleNotFound': () =>
    server.get('com.core.identity.resolveHandle', { handle: 'unknown.test' }),

  'app.example.actor.getProfile ProfileNotFound': () => profile(unknownDid),
  'app.example.actor.getProfile AccountTakedown': async () => profile((await narrowSession()).did),
  'app.example.actor.getProfile AccountSuspended': () => whileIn('suspended', () => profile(owner.did)),
  'app.example.actor.getProfile AccountDeactivated': () => whileIn('deactivated', () => profile(owner.did)),
  'app.example.feed.getAuthorFeed BlockedActor': () => authorFeedOfBlocked((blocker) => blocker),
  'app.example.feed.getAuthorFeed BlockedByActor': () => authorFeedOfBlocked((_, blocked) => blocked),
  'app.example.feed.getListFeed UnknownList': () =>
    server.get('app.example.feed.getListFeed', {
      list: `at://${unknownDid}/app.example.graph.list/3jzfcijpj2z2a`,
    }),
  'app.example.feed.getPostThread NotFound': () =>
    server.get('app.example.feed.getPostThread', { uri: postUri }),
  'app.example.feed.searchPosts BadQueryString': () =>
    server.get('app.example.feed.searchPosts', { q: 'rain', since: 'yesterday' }, owner),
  'app.example.feed.searchPostsV2 BadQueryString': () =>
    server.get('app.example.feed.searchPostsV2', { query: 'rain', since: 'yesterday' }, owner),
  'app.example.graph.getRelationships ActorNotFound': () =>
    server.get('app.example.graph.getRelationships', { actor: unknownDid }),
  ...Object.fromEntries(
    Object.entries({
      muteActor: { actor: unknownDid },
      unmuteActor: { actor: unknownDid },
      muteActorList: { list: listUri },
      unmuteActorList: { list: listUri },
      muteThread: { root: postUri },
      unmuteThread: { root: postUri },
    }).flatMap(([name, input]) => {
      const nsid = `app.example.graph.${name}`
      return Object.entries(writing(nsid, (account) => server.post(nsid, input, account)))
    }),
  ),
  'app.example.graph.muteActorList ListNotAvailable': () =>
    server.post('app.example.graph.muteActorList', { list: listUri }, owner),
  'app.example.bookmark.createBookmark UnsupportedCollection': () =>
    bookmarked('createBookmark', { uri: likeUri, cid: staleCid }, owner),
  'app.example.bookmark.deleteBookmark UnsupportedCollection': () =>
    bookmarked('deleteBookmark', { uri: likeUri }, owner),
  ...writing('app.example.bookmark.createBookmark', (account) =>
    bookmarked('createBookmark', { uri: postUri, cid: staleCid }, account),
  ),
  ...writing('app.example.bookmark.deleteBookmark', (account) =>
    bookmarked('deleteBookmark', { uri: postUri }, account),
  ),
  'app.example.draft.createDraft DraftLimitReached': async () =>
    drafted('createDraft', { draft }, await withDrafts(200)),
  ...writing('app.example.draft.createDraft', (account) => drafted('createDraft', { draft }, account)),
  ...writing('app.example.draft.updateDraft', (account) =>
    drafted('updateDraft', { draft: { id: draftId, draft } }, account),
  ),
  ...writing('app.example.draft.deleteDraft', (account) => drafted('deleteDraft', { id: draftId }, account)),
  ...writing('app.example.notification.putActivitySubscription', (account) =>
    notified(
      'putActivitySubscription',
      { subject: unknownDid, activitySubscription: { post: true, reply: false } },
      account,
    ),
  ),
  ...writing('app.example.notification.registerPush', (account) =>
    notified('registerPush', push('token'), account),
  ),
  'app.example.notification.registerPush UnsupportedPushService': () =>
    notified('registerPush', { ...ios, serviceDid: owner.did }, owner),
  'app.example.notification.registerPush TooManyRegistrations': async () => {
    const account = await newAccount()
    const tokens = Array.from({ length: 100 }, (_, number) => `token ${number}`)
    await Promise.all(tokens.map((token) => notified('registerPush', push(token), account)))
    return notified('registerPush', push('one too many'), account)
  },

  ...writing('com.core.repo.applyWrites', (account) => writes(account)),
  'com.core.repo.applyWrites InvalidSwap': async () => writes(await newAccount(), { swapCommit: staleCid }),
  ...writing('com.core.repo.createRecord', (account) => write('createRecord', account)),
  ...writing('com.core.repo.putRecord', (account) => write('putRecord', account)),
  ...writing('com.core.repo.deleteRecord', (account) => write('deleteRecord', account)),
  'com.core.repo.createRecord InvalidSwap': () => staleWrite('createRecord'),
  'com.core.repo.putRecord InvalidSwap': () => staleWrite('putRecord'),
  'com.core.repo.deleteRecord InvalidSwap': () => staleWrite('deleteRecord'),
  ...wrongBlob('applyWrites', (value, account) => writes(account, {}, value)),
  ...wrongBlob('createRecord', (record, account) => write('createRecord', account, { record })),
  ...wrongBlob('putRecord', (record, account) => write('putRecord', account, { record })),
  ...reading('com.core.repo.describeRepo'),
  ...reading('com.core.repo.listRecords', { collection }),
  ...reading('com.core.repo.getRecord', { collection, rkey: 'one' }),
  'com.core.repo.getRecord RecordNotFound': () =>
    server.get('com.core.repo.getRecord', { repo: owner.did, collection, rkey: 'none' }),
  ...reading('com.core.sync.getRepo', {}, 'did'),
  ...reading('com.core.sync.listBlobs', {}, 'did'),
  ...reading('com.core.sync.getLatestCommit', {}, 'did'),
  ...reading('com.core.sync.getRecord', { collection, rkey: 'one' }, 'did'),
  ...reading('com.core.sync.getBlocks', { cids: staleCid }, 'did'),
  'com.core.sync.getBlocks BlockNotFound': () =>
    server.get('com.core.sync.getBlocks', { did: owner.did, cids: staleCid }),
  'com.core.sync.getRepoStatus RepoNotFound': () =>
    server.get('com.core.sync.getRepoStatus', { did: unknownDid }),
  ...reading('com.core.sync.getBlob', { cid: unknownCid }, 'did'),
  'com.core.sync.getBlob BlobNotFound': () =>
    server.get('com.core.sync.getBlob', { did: owner.did, cid: unknownCid }),
  'com.core.sync.getBlob BlobTakedown': async () => {
    const account = await newAccount()
    const { did } = account
    const cid = (await blobOf(server, account, png('taken down'))).ref.$link
    const subject = { $type: 'com.core.admin.defs#repoBlobRef', did, cid }
    await core('admin.updateSubjectStatus', { subject, takedown: { applied: true } }, adminAuth)
    return server.get('com.core.sync.getBlob', { did, cid }, account)
  },

  'com.core.admin.addUpstream InvalidUpstream': () => core('admin.addUpstream', { url: '://' }, adminAuth),
  'com.core.admin.addUpstream OwnServer': () => core('admin.addUpstream', { url: server.url }, adminAuth),
  'com.core.admin.addUpstream AlreadyAdded': () => addUpstream({ repos: [] }, 2),
  'com.core.admin.addUpstream NotAServer': () => addUpstream({}),
  'com.core.admin.addUpstream UpstreamUnreachable': () =>
    core('admin.addUpstream', { url: 'http://127.0.0.1:1' }, adminAuth),
  'com.core.admin.removeUpstream UpstreamNotFound': () =>
    core('admin.removeUpstream', { url: 'https://pds.invalid' }, adminAuth),
  'com.core.admin.removeUpstream SetByConfiguration': async () => {
    const url = 'http://127.0.0.1:1'
    const configured = await TestServer.start({ upstreams: [url] })
    const answer = await configured.post('com.core.admin.removeUpstream', { url }, adminAuth)
    await configured.close()
    return answer
  },
  'com.core.admin.retryUpstream UpstreamNotFound': () =>
    core('admin.retryUpstream', { url: 'https://pds.invalid' }, adminAuth),
  'com.core.admin.moveAccount MoveRefused': () =>
    core('admin.moveAccount', { did: owner.did, server: 'localhost', password: 'a password' }, adminAuth),
  'com.core.move.cancelMove MoveRefused': () => core('move.cancelMove', undefined, owner),
  'com.core.move.continueMove MoveRefused': () => core('move.continueMove', {}, owner),
  'com.core.move.continueMove AuthFactorTokenRequired': () => atOldServer(continueThere),
  'com.core.move.describeServer MoveRefused': () =>
    server.get('com.core.move.describeServer', { server: 'localhost' }, owner),
  'com.core.move.findAccount MoveRefused': () =>
    server.get('com.core.move.findAccount', { identifier: 'no handle' }),
  'com.core.move.moveIn MoveRefused': () => core('move.moveIn', moveInput),
  'com.core.move.moveIn AuthFactorTokenRequired': () =>
    atOldServer((here, url) => here.post('com.core.move.moveIn', { ...moveInput, server: url })),
  'com.core.move.prepareRecovery MoveRefused': () =>
    core('move.prepareRecovery', { identifier: unknownDid, key: 'did:key:z' }),
  'com.core.move.prepareRecovery AlreadyExists': () => refusedRecovery('AlreadyExists'),
  'com.core.move.prepareRecovery DirectoryUnavailable': () => refusedRecovery('DirectoryUnavailable'),
  'com.core.move.prepareRecovery IdentityEnded': () => refusedRecovery('IdentityEnded'),
  'com.core.move.prepareRecovery IdentityNotFound': () => refusedRecovery('IdentityNotFound'),
  'com.core.move.prepareRecovery KeyNotFound': () => refusedRecovery('KeyNotFound'),
  'com.core.move.prepareRecovery KeyOverruled': () => refusedRecovery('KeyOverruled'),
  'com.core.move.prepareRecovery RecoveryTooLate': () => refusedRecovery('RecoveryTooLate'),
  'com.core.move.moveOut MoveRefused': () =>
    core('move.moveOut', { server: 'localhost', password: 'a password' }, owner),

  'com.core.factor.addPasskey InvalidPasskey': () =>
    core('factor.addPasskey', { name: 'x', response: {} }, owner),
  'com.core.factor.addPasskey TooManyFactors': async () => {
    const account = await newAccount()
    const options = await passkeyOptions(account)
    await addPasskeys(account)
    return addPasskey(account, options)
  },
  'com.core.factor.confirmTotp FactorNotFound': () =>
    core('factor.confirmTotp', { id: 'x', name: 'x', code: '000000' }, owner),
  'com.core.factor.confirmTotp InvalidToken': async () => {
    const { body } = await core('factor.startTotp', { password: owner.password }, owner)
    return core('factor.confirmTotp', { id: body.id, name: 'x', code: 'x' }, owner)
  },
  'com.core.factor.provePasskey InvalidPasskey': () => core('factor.provePasskey', { response: {} }),
  ...proving('factor.startTotp'),
  ...proving('factor.startPasskey'),
  ...proving('factor.renewRecoveryCodes'),
  ...proving('factor.removeFactor', () => ({ id: 'x' })),
  ...proving('identity.addRecoveryKey', async () => ({ key: await someKey() })),
  ...proving('identity.removeRecoveryKey', async () => ({ key: await someKey() })),
  'com.core.factor.removeFactor FactorNotFound': () =>
    core('factor.removeFactor', { id: 'x', password: owner.password }, owner),
  'com.core.factor.renewRecoveryCodes FactorNotFound': () =>
    core('factor.renewRecoveryCodes', { password: owner.password }, owner),
  'com.core.factor.startPasskey TooManyFactors': async () => {
    const account = await newAccount()
    const authFactorToken = await proofBy(await addPasskeys(account))
    return core('factor.startPasskey', { password: account.password, authFactorToken }, account)
  },
  'com.core.factor.startTotp TooManyFactors': async () => {
    const account = await newAccount()
    const authFactorToken = await proofBy(await addPasskeys(account))
    return core('factor.startTotp', { password: account.password, authFactorToken }, account)
  },

  ...writing('com.core.oauth.decideRequest', (account) =>
    core('oauth.decideRequest', { id: 'x', isAllowed: true }, account),
  ),
  'com.core.oauth.decideRequest RequestNotFound': () =>
    core('oauth.decideRequest', { id: 'x', isAllowed: true }, owner),
  'com.core.oauth.decideRequest WrongAccount': async () =>
    core(
      'oauth.decideRequest',
      { id: await appRequest({ loginHint: 'other.test' }), isAllowed: true },
      owner,
    ),
  'com.core.oauth.decideRequest WrongNumber': async () => {
    await core('oauth.waitForApproval', { id: await appRequest({ loginHint: owner.handle }) })
    const { body } = await server.get('com.core.oauth.listRequests', {}, owner)
    return core('oauth.decideRequest', { id: body.requests[0].id, isAllowed: true }, owner)
  },
  'com.core.oauth.decideRequest SignInRequired': async () =>
    core('oauth.decideRequest', { id: await appRequest({ isFresh: true }), isAllowed: true }, owner),
  'com.core.oauth.declineSilentRequest RequestNotFound': () =>
    core('oauth.declineSilentRequest', { id: 'x' }, owner),
  'com.core.oauth.declineSilentRequest WrongAccount': async () =>
    core('oauth.declineSilentRequest', { id: await appRequest({ loginHint: 'other.test' }) }, owner),
  'com.core.oauth.getRequest RequestNotFound': () => server.get('com.core.oauth.getRequest', { id: 'x' }),
  'com.core.oauth.waitForApproval RequestNotFound': () => core('oauth.waitForApproval', { id: 'x' }),
  'com.core.oauth.waitForApproval SignInRequired': async () =>
    core('oauth.waitForApproval', { id: await appRequest({ isFresh: true }) }),

  'com.core.server.activateAccount AccountTakedown': async () =>
    core('server.activateAccount', undefined, await narrowSession()),
  'com.core.server.activateAccount AccountSuspended': () =>
    whileIn('suspended', (account) => core('server.activateAccount', undefined, account)),

  'com.core.server.confirmEmail InvalidEmail': async () =>
    confirm(await newAccount(), wrongToken, 'other@mail.test'),
  'com.core.server.confirmEmail InvalidToken': async () => confirm(await newAccount(), wrongToken),
  'com.core.server.confirmEmail ExpiredToken': async () => {
    const account = await newAccount()
    await core('server.requestEmailConfirmation', undefined, account)
    return afterExpiry(account, (token) => confirm(account, token))
  },

  'com.core.server.createAccount InvalidHandle': () => createAccount({ handle: 'no handle' }),
  'com.core.server.createAccount InvalidPassword': () => createAccount({ password: 'short' }),
  'com.core.server.createAccount InvalidInviteCode': () => createAccount({ inviteCode: 'made-up' }),
  'com.core.server.createAccount HandleNotAvailable': () => createAccount({ handle: owner.handle }),
  'com.core.server.createAccount UnsupportedDomain': () => createAccount({ handle: 'alice.example.com' }),
  'com.core.server.createAccount AlreadyExists': () => importOwner({}),
  'com.core.server.createAccount BadJwtAudience': () => importOwner({ aud: 'did:web:other.example' }),
  'com.core.server.createAccount BadJwtLexiconMethod': () => importOwner({ lxm: 'com.core.repo.uploadBlob' }),
  'com.core.server.createAccount BadJwtType': () => importOwner({}, owner.accessJwt),

  'com.core.server.createAppPassword DuplicateAppPassword': async () => {
    const account = await newAccount()
    await appPassword(account, 'phone')
    return appPassword(account, 'phone')
  },
  'com.core.server.createAppPassword TooManyAppPasswords': async () => {
    const account = await newAccount()
    const names = Array.from({ length: 100 }, (_, number) => `app ${number}`)
    await Promise.all(names.map((name) => appPassword(account, name)))
    return appPassword(account, 'one too many')
  },
  ...writing('com.core.server.createAppPassword', (account) => appPassword(account, 'phone')),
  ...writing('com.core.server.createInviteCode', inviteCode),
  ...writing('com.core.server.createInviteCodes', inviteCodes),

  'com.core.server.createSession AccountTakedown': async () => server.signIn(await narrowSession()),
  'com.core.server.createSession AuthFactorTokenRequired': async () => server.signIn(await secondFactor()),
  'com.core.friend.askComputer NotOnLocalNetwork': () => core('friend.askComputer', { id: 'x' }, adminAuth),
  'com.core.friend.askComputer ComputerNotFound': () =>
    onNetwork((alice) => friend(alice, 'askComputer', { id: 'x' }, adminAuth)),
  'com.core.friend.askComputer PairingFailed': () =>
    onNetwork(async (alice, bob) => {
      const id = await find(alice, bob)
      // It goes without a word.
      await bob.server.running.services.store.close()
      return friend(alice, 'askComputer', { id }, adminAuth)
    }),
  'com.core.friend.answerPairing PairingNotFound': () =>
    core('friend.answerPairing', { id: 'x', isSame: true }, adminAuth),
  'com.core.friend.answerPairing PairingFailed': () =>
    onNetwork(async (alice, bob) => {
      const id = await ask(alice, bob)
      await bob.server.restart()
      return answer(alice, id, true)
    }),
  'com.core.friend.propose NotOnLocalNetwork': () => core('friend.propose', proposal),
  'com.core.friend.propose TooManyPairings': () =>
    onNetwork(async (alice) => {
      await friend(alice, 'propose', proposal)
      return friend(alice, 'propose', proposal)
    }),
  'com.core.friend.reveal PairingNotFound': () => core('friend.reveal', { id: 'x', nonce: '' }),
  'com.core.friend.reveal NotOnLocalNetwork': () =>
    server.fetch('/xrpc/com.core.friend.reveal', foreignPage({ id: 'x', nonce: '' })),
  'com.core.friend.reveal WrongCommitment': () =>
    onNetwork(async (alice) => {
      await friend(alice, 'propose', proposal)
      return friend(alice, 'reveal', { id: proposal.id, nonce: 'another' })
    }),
  'com.core.friend.conclude PairingNotFound': () => core('friend.conclude', { id: 'x', isSame: true }),
  'com.core.friend.conclude NotOnLocalNetwork': () =>
    server.fetch('/xrpc/com.core.friend.conclude', foreignPage({ id: 'x', isSame: true })),

  'com.core.server.createSession InvalidToken': async () =>
    server.signIn(await secondFactor(), { authFactorToken: wrongToken }),
  'com.core.server.createSession ExpiredToken': async () => {
    const account = await secondFactor()
    await server.signIn(account)
    return afterExpiry(account, (authFactorToken) => server.signIn(account, { authFactorToken }))
  },

  'com.core.admin.listOutbox NotAtThisComputer': () => readElsewhere('listOutbox'),
  'com.core.admin.deleteOutboxMessage NotAtThisComputer': () =>
    callElsewhere('deleteOutboxMessage', { id: 'x' }),
  'com.core.admin.getLog NotAtThisComputer': () => readElsewhere('getLog'),
  'com.core.admin.getSettings NotAtThisComputer': () => readElsewhere('getSettings'),
  'com.core.admin.getSettings SettingsElsewhere': () => server.get('com.core.admin.getSettings', {}, owner),
  'com.core.admin.updateSettings NotAtThisComputer': () => callElsewhere('updateSettings', { settings: [] }),
  'com.core.admin.updateSettings SettingsElsewhere': () =>
    core('admin.updateSettings', { settings: [] }, owner),
  'com.core.admin.updateSettings SettingsNotSaved': async () => {
    const change = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))
    return withSettings({ change }, (another) =>
      another.post('com.core.admin.updateSettings', { settings: [] }, adminAuth),
    )
  },
  'com.core.admin.getMailServer NotAtThisComputer': () => readElsewhere('getMailServer'),
  'com.core.admin.getMailServer MailServerElsewhere': () => readWithoutHost('getMailServer'),
  ...provingOwner('updateMailServer', { mailServer: noMailServer }),
  'com.core.admin.updateMailServer MailServerElsewhere': () =>
    elsewhereWith({}, 'updateMailServer', { mailServer: noMailServer }),
  'com.core.admin.updateMailServer SettingsNotSaved': () => {
    const save = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))
    const full = { ...host, mail: { ...mail, save } }
    return elsewhereWith({ host: full }, 'updateMailServer', { mailServer: noMailServer })
  },
  ...provingOwner('testMailServer', someMail),
  'com.core.admin.testMailServer MailServerElsewhere': () => elsewhereWith({}, 'testMailServer', someMail),
  'com.core.admin.testMailServer MailNotSent': () => elsewhereWith({ host }, 'testMailServer', someMail),
  ...provingOwner('updateSettings', { settings: [{ name: 'relays', value: '' }] }),
  ...provingOwner('deleteBackup', { id: 'x' }),
  ...provingOwner('addCopyPlace', { place: anyFolder }),
  ...provingOwner('acceptEmptyPlace', { url: 'x' }),
  ...provingOwner('dismissLostChanges', { url: 'x' }),
  'com.core.admin.addCopyPlace PlacesElsewhere': () =>
    elsewhereWith({}, 'addCopyPlace', { place: anyFolder }),
  'com.core.admin.addCopyPlace SameDisk': () =>
    core('admin.addCopyPlace', { place: anyFolder, password: owner.password }, owner),
  'com.core.admin.removeCopyPlace NotAtThisComputer': () => callElsewhere('removeCopyPlace', { url: 'x' }),
  'com.core.admin.removeCopyPlace PlacesElsewhere': () =>
    elsewhereWith({ host: { ...host, places: { ...host.places, setBy: 'PDS_COPIES' } } }, 'removeCopyPlace', {
      url: 'x',
    }),
  'com.core.admin.removeCopyPlace PlacesNotSaved': () => {
    const save = () => Promise.reject(new PlacesNotSaved('The disk is full.'))
    const full = { ...host, places: { list: () => ['x'], save, setBy: undefined } }
    return elsewhereWith({ host: full }, 'removeCopyPlace', { url: 'x' })
  },
  'com.core.admin.removeCopyPlace PlaceNotFound': () => core('admin.removeCopyPlace', { url: 'x' }, owner),
  ...provingOwner('getRecoverySheet'),
  'com.core.admin.getRecoverySheet PlacesElsewhere': () => elsewhereWith({}, 'getRecoverySheet', {}),
  'com.core.admin.getRecoverySheet KeyUnavailable': () =>
    elsewhereWith({ host, copiesKeeper: lockedKeeper }, 'getRecoverySheet', {}),
  'com.core.admin.keepRecoverySheet NotAtThisComputer': () =>
    callElsewhere('keepRecoverySheet', { key: 'x' }),
  'com.core.admin.keepRecoverySheet PlacesElsewhere': () =>
    elsewhereWith({}, 'keepRecoverySheet', { key: 'x' }),
  'com.core.admin.keepRecoverySheet KeyUnavailable': () =>
    elsewhereWith({ host, copiesKeeper: lockedKeeper }, 'keepRecoverySheet', { key: 'x' }),
  'com.core.admin.listRestorePoints NotAtThisComputer': () => readElsewhere('listRestorePoints?url=x'),
  'com.core.admin.listRestorePoints RestoreElsewhere': () =>
    readWithoutHost('listRestorePoints', { url: 'x' }),
  'com.core.admin.listRestorePoints PlaceUnavailable': () =>
    server.get('com.core.admin.listRestorePoints', { url: 'x' }, owner),
  'com.core.admin.openRestore NotAtThisComputer': () => callElsewhere('openRestore', {}),
  'com.core.admin.openRestore RestoreElsewhere': () => elsewhereWith({}, 'openRestore', {}),
  'com.core.admin.openRestore RestoreRunning': () => core('admin.openRestore', {}, owner),
  'com.core.admin.getRestore NotAtThisComputer': () => readElsewhere('getRestore'),
  'com.core.admin.getRestore RestoreElsewhere': () => readWithoutHost('getRestore'),
  ...provingOwner('restoreServer', { id: 'none' }),
  'com.core.admin.restoreServer RestoreElsewhere': () => elsewhereWith({}, 'restoreServer', { id: 'none' }),
  'com.core.admin.restoreServer NothingOpened': () =>
    core('admin.restoreServer', { id: 'none', password: owner.password }, owner),
  'com.core.admin.cancelRestore NotAtThisComputer': () => callElsewhere('cancelRestore', { id: 'none' }),
  'com.core.admin.cancelRestore RestoreElsewhere': () => elsewhereWith({}, 'cancelRestore', { id: 'none' }),
  'com.core.admin.listReplacedData NotAtThisComputer': () => readElsewhere('listReplacedData'),
  ...provingOwner('undoRestore', { name: 'none' }),
  'com.core.admin.undoRestore RestoreElsewhere': () => elsewhereWith({}, 'undoRestore', { name: 'none' }),
  'com.core.admin.undoRestore DataNotFound': () =>
    core('admin.undoRestore', { name: 'none', password: owner.password }, owner),
  ...provingOwner('deleteReplacedData', { name: replacedName }),
  'com.core.admin.deleteReplacedData DataNotFound': () =>
    core('admin.deleteReplacedData', { name: 'none' }, owner),
  'com.core.admin.listBackups NotAtThisComputer': () => readElsewhere('listBackups'),
  'com.core.admin.makeBackup NotAtThisComputer': () => callElsewhere('makeBackup'),
  'com.core.admin.makeBackup BackupFailed': () =>
    withoutSpace('make', () => core('admin.makeBackup', undefined, owner)),
  'com.core.admin.checkBackup NotAtThisComputer': () => callElsewhere('checkBackup', { id: 'x' }),
  'com.core.admin.checkBackup BackupNotFound': () => core('admin.checkBackup', { id: 'x' }, owner),
  'com.core.admin.checkBackup BackupFailed': () =>
    withoutSpace('find', () => core('admin.checkBackup', { id: 'x' }, owner)),
  'com.core.admin.deleteBackup NotAtThisComputer': () => callElsewhere('deleteBackup', { id: 'x' }),
  'com.core.admin.deleteBackup BackupNotFound': () => core('admin.deleteBackup', { id: 'x' }, adminAuth),
  'com.core.admin.deleteBackup BackupFailed': () =>
    withoutSpace('delete', () => core('admin.deleteBackup', { id: 'x' }, adminAuth)),
  'com.core.server.createCode MailedCodeRequired': async () => {
    const mailing = await TestServer.start({ smtpUrl: 'smtp://127.0.0.1:1' })
    try {
      // The message goes to the outbox, because nothing answers there.
      const account = await mailing.account('mailed')
      await mailing.confirmEmail(account)
      const input = { purpose: 'deleteAccount', password: account.password }
      return await mailing.post('com.core.server.createCode', input, account)
    } finally {
      await mailing.close()
    }
  },
  ...proving('server.createCode', () => ({ purpose: 'deleteAccount' })),

  'com.core.server.deleteAccount InvalidToken': async () => deletion(await newAccount(), wrongToken),
  'com.core.server.deleteAccount ExpiredToken': async () => {
    const account = await newAccount()
    await core('server.requestAccountDelete', undefined, account)
    return afterExpiry(account, (token) => deletion(account, token))
  },

  'com.core.server.getServiceAuth BadExpiration': async () =>
    server.get('com.core.server.getServiceAuth', { aud: unknownDid, exp: '1' }, await newAccount()),

  'com.core.server.refreshSession AccountTakedown': async () =>
    core('server.refreshSession', undefined, (await narrowSession()).refreshJwt),

  'com.core.server.resetPassword InvalidPassword': () => reset(wrongToken, 'short'),
  'com.core.server.resetPassword InvalidToken': () => reset(wrongToken),
  'com.core.server.resetPassword ExpiredToken': async () => {
    const account = await newAccount()
    await core('server.requestPasswordReset', { email: account.email })
    return afterExpiry(account, reset)
  },

  'com.core.server.updateEmail TokenRequired': async () => updateEmail(await confirmed()),
  'com.core.server.updateEmail InvalidToken': async () => updateEmail(await confirmed(), wrongToken),
  'com.core.server.updateEmail ExpiredToken': async () => {
    const account = await confirmed()
    return afterExpiry(account, (token) => updateEmail(account, token))
  },
}

/** Declared errors with status 401, when they concern the caller's own account or token; all others have status 400. */
const unauthorized = new Set([
  'AccountTakedown',
  'AccountSuspended',
  'AccountDeactivated',
  'AuthFactorTokenRequired',
  'BadJwtAudience',
  'BadJwtLexiconMethod',
  'BadJwtType',
])

const declared = methods.flatMap(({ nsid, schema }) =>
  (schema.errors ?? []).map((error) => [nsid, error] as const),
)

test.each(declared)('%s can fail with %s', async (nsid, error) => {
  const attempt = provoke[`${nsid} ${error}`]
  if (!attempt) throw new Error(`Add an entry for ${nsid} ${error} to the table provoke`)
  expect(await attempt()).toMatchObject({
    status: unauthorized.has(error) && nsid !== 'app.example.actor.getProfile' ? 401 : 400,
    body: { error, message: expect.any(String) },
  })
})
