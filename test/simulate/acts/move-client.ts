/** A client that moves an account by the calls of the protocol, one with each step. It begins again where it was. */
import { addressOf } from '../model/mail.ts'
import { type ClientProgress, copyAt, type Move } from '../model/move.ts'
import type { Person } from '../model/person.ts'
import { SignIn } from '../model/sign-in.ts'
import { timed } from '../model/time-span.ts'
import type { Answer, CallOptions, World } from '../world/world.ts'
import { Violation } from './act.ts'
import { isOwnerless, settle, signedIn } from './move-steps.ts'
import { isLost, openSession, renew } from './sessions.ts'

interface Sides {
  readonly world: World
  /** The account at the old server. */
  readonly from: Person
  /** The account at the new server. */
  readonly to: Person
  readonly client: ClientProgress
}

export async function clientStep(world: World, person: Person, move: Move): Promise<string> {
  const copy = copyAt(person, move.to)
  if (!copy || !move.hasBegun) return open(world, person, move)
  const { client } = move
  const sides = { world, from: person, to: copy, client }
  if (client.isActivated) return leaveOld(sides)
  if (client.rev === undefined) return copyRepository(sides)
  if (!client.hasMedia) return copyMedia(sides)
  if (!client.hasPreferences) return copyPreferences(sides)
  if (client.operation === undefined) return sign(sides)
  return changeIdentity(sides, move)
}

/** Calls a method as the account of one of the servers. */
async function callOf(world: World, person: Person, nsid: string, options: CallOptions): Promise<Answer> {
  const call = () => world.call(person.machine, nsid, { ...options, token: person.access })
  const answer = await call()
  if (answer.body?.error !== 'ExpiredToken') return answer
  return (await renew(world, person)) === 200 ? call() : answer
}

/** @throws Violation for an error that no fault explains */
function wordsOf(name: string, answer: Answer, ...expected: readonly string[]): string {
  const { status, body } = answer
  const isExpected = status === 200 || isLost(answer) || expected.includes(body?.error)
  if (!isExpected && body?.error !== 'ExpiredToken')
    throw new Violation(`${name} of a client that moves an account → ${status} ${JSON.stringify(body)}`)
  return `${name} → ${status} ${body?.error ?? ''} ${body?.message ?? ''}`
}

/** Creates the deactivated account at the new server, or signs in there. */
async function open(world: World, person: Person, move: Move): Promise<string> {
  const { to, handle, password } = move
  const copy = copyAt(person, to)
  if (copy) {
    const { status, signIn } = await openSession(world, copy, password)
    if (signIn) Object.assign(copy, { current: signIn })
    move.hasBegun = status === 200
    return `sign-in there → ${status}`
  }
  const query = { aud: `did:web:${to.host}`, lxm: 'com.atproto.server.createAccount' }
  const proof = await callOf(world, person, 'com.atproto.server.getServiceAuth', { query })
  if (proof.status !== 200) return wordsOf('getServiceAuth', proof)
  const email = addressOf(person)
  const input = { did: person.did, handle, password, email }
  const created = await timed(to, () =>
    world.call(to, 'com.atproto.server.createAccount', { input, token: proof.body.token }),
  )
  if (created.status === 200) signedIn(world, person, move, new SignIn(created.body, created.at, undefined))
  if (isLost(created)) move.lostSignIns++
  move.hasBegun = created.status === 200
  if (isOwnerless(created)) person.move = undefined
  if (created.body?.error !== 'AlreadyExists')
    return wordsOf(
      'createAccount',
      created,
      'NotEnoughResources',
      'AuthenticationRequired',
      'UpstreamFailure',
      'Forbidden',
    )
  // The answer to an earlier attempt was lost.
  const again = await timed(to, () =>
    world.call(to, 'com.atproto.server.createSession', { input: { identifier: person.did, password } }),
  )
  if (again.status === 200) signedIn(world, person, move, new SignIn(again.body, again.at, undefined))
  if (isLost(again)) move.lostSignIns++
  move.hasBegun = again.status === 200
  return wordsOf('sign-in there', again)
}

async function latestRev({ world, from }: Sides): Promise<string | undefined> {
  const query = { did: from.did }
  const answer = await callOf(world, from, 'com.atproto.sync.getLatestCommit', { query })
  if (answer.status !== 200) wordsOf('getLatestCommit', answer)
  return answer.body?.rev
}

async function copyRepository(sides: Sides): Promise<string> {
  const { world, from, to, client } = sides
  const rev = await latestRev(sides)
  if (rev === undefined) return 'getLatestCommit → lost'
  const archive = await callOf(world, from, 'com.atproto.sync.getRepo', { query: { did: from.did } })
  if (archive.status !== 200) return wordsOf('getRepo', archive)
  const answer = await callOf(world, to, 'com.atproto.repo.importRepo', {
    ...{ bytes: archive.bytes, type: 'application/vnd.ipld.car' },
  })
  if (answer.status === 200) Object.assign(client, { rev, hasMedia: false, hasPreferences: false })
  return wordsOf('importRepo', answer)
}

async function copyMedia({ world, from, to, client }: Sides): Promise<string> {
  const missing = await callOf(world, to, 'com.atproto.repo.listMissingBlobs', { query: { limit: '100' } })
  if (missing.status !== 200) return wordsOf('listMissingBlobs', missing)
  for (const { cid } of missing.body.blobs) {
    const query = { did: from.did, cid }
    const file = await callOf(world, from, 'com.atproto.sync.getBlob', { query })
    // Its record may have been deleted since.
    if (file.status === 404 || file.status === 400) client.rev = undefined
    if (file.status !== 200) return wordsOf('getBlob', file, 'BlobNotFound')
    to.machine.filesUsedAt.set(cid, world.time.clock.now().getTime())
    const answer = await callOf(world, to, 'com.atproto.repo.uploadBlob', {
      ...{ bytes: file.bytes, type: 'image/png' },
    })
    if (answer.status !== 200) return wordsOf('uploadBlob', answer)
  }
  client.hasMedia = true
  return `${missing.body.blobs.length} files copied`
}

async function copyPreferences({ world, from, to, client }: Sides): Promise<string> {
  const read = await callOf(world, from, 'app.bsky.actor.getPreferences', {})
  if (read.status !== 200) return wordsOf('getPreferences', read)
  const { preferences } = read.body
  const answer = await callOf(world, to, 'app.bsky.actor.putPreferences', { input: { preferences } })
  client.hasPreferences = answer.status === 200
  return wordsOf('putPreferences', answer)
}

/** Has the old server sign the operation by a mailed code. */
async function sign({ world, from, to, client }: Sides): Promise<string> {
  const email = addressOf(from)
  const recommended = await callOf(world, to, 'com.atproto.identity.getRecommendedDidCredentials', {})
  if (email === undefined || recommended.status !== 200) return wordsOf('getRecommended', recommended)
  const asked = await callOf(world, from, 'com.atproto.identity.requestPlcOperationSignature', { input: {} })
  const token = from.machine.isRunning ? from.machine.codeTo(email, 'signPlcOperation') : undefined
  if (asked.status !== 200 || token === undefined) return wordsOf('requestPlcOperationSignature', asked)
  const input = { token, ...recommended.body }
  const signed = await callOf(world, from, 'com.atproto.identity.signPlcOperation', { input })
  if (signed.status === 200) {
    // The preferences may have changed since.
    Object.assign(client, { operation: signed.body.operation, hasPreferences: false })
  }
  return wordsOf('signPlcOperation', signed, 'UpstreamFailure', 'InvalidToken', 'NotEnoughResources')
}

/** Copies what was written since, then submits the operation and activates the account, once more if it has failed. */
async function changeIdentity(sides: Sides, move: Move): Promise<string> {
  const { world, from, to, client } = sides
  const isChanged = world.serverOf(from.did) === to.machine.url
  if (!isChanged) {
    const rev = await latestRev(sides)
    if (rev === undefined || rev !== client.rev) {
      if (rev !== undefined) client.rev = undefined
      return `the repository is at ${rev}`
    }
    move.isSigned = true
    const input = { operation: client.operation }
    const answer = await callOf(world, to, 'com.atproto.identity.submitPlcOperation', { input })
    if (world.serverOf(from.did) !== to.machine.url) {
      // Another operation came first, or the answer of the directory is still to come.
      if (answer.status === 400) Object.assign(client, { operation: undefined })
      move.isSigned = isLost(answer)
      return wordsOf('submitPlcOperation', answer, 'InvalidRequest', 'UpstreamFailure', 'NotEnoughResources')
    }
  }
  move.isSigned = true
  const answer = await callOf(world, to, 'com.atproto.server.activateAccount', { input: {} })
  client.isActivated = answer.status === 200
  return wordsOf('activateAccount', answer, 'UpstreamFailure', 'NotEnoughResources')
}

async function leaveOld({ world, from, to }: Sides): Promise<string> {
  const answer = await callOf(world, from, 'com.atproto.server.deactivateAccount', { input: {} })
  if (answer.status === 200) settle(world, from, to)
  return wordsOf('deactivateAccount', answer)
}
