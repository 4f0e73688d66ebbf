/** Moves an account with the standard calls, step by step, as migration tools do: nothing of it is particular to one server. */
import assert from 'node:assert/strict'
import { type Account, signIn } from './accounts.ts'
import { poll } from './poll.ts'
import { all, get, post } from './xrpc.ts'

/** Returns the code of the newest message to an address. */
export type ReadCode = (address: string) => Promise<string>

export interface Target {
  readonly server: string
  readonly password: string
  /** The account is there already, deactivated since it moved away. */
  readonly returns?: boolean
}

/** @param between is called after each step */
export async function migrate(
  from: Account,
  target: Target,
  readCode: ReadCode,
  between = async () => {},
): Promise<Account> {
  const to = await openAccount(from, target)
  const steps = [
    () => importRepository(from, to),
    () => importBlobs(from, to),
    () => importPreferences(from, to),
    () => changeIdentity(from, to, readCode),
    () => post(to.server, 'com.atproto.server.activateAccount', { auth: to.accessJwt }),
    () => post(from.server, 'com.atproto.server.deactivateAccount', { auth: from.accessJwt, input: {} }),
  ]
  for (const step of steps) {
    await between()
    await step()
  }
  await between()
  return to
}

/** Creates the deactivated account at the new server, or signs in to it. */
export async function openAccount(
  from: Account,
  { server, password, returns = false }: Target,
): Promise<Account> {
  if (returns) return { ...from, server, password, accessJwt: await signIn(server, from.did, password) }
  const { body: description } = await get(server, 'com.atproto.server.describeServer')
  const proof = await get(from.server, 'com.atproto.server.getServiceAuth', {
    auth: from.accessJwt,
    params: { aud: description.did, lxm: 'com.atproto.server.createAccount' },
  })
  const { did, handle, email } = from
  await post(server, 'com.atproto.server.createAccount', {
    auth: proof.body.token,
    input: { did, handle, email, password },
  })
  return { server, did, handle, email, password, accessJwt: await signIn(server, did, password) }
}

export async function importRepository(from: Account, to: Account): Promise<void> {
  const archive = await get(from.server, 'com.atproto.sync.getRepo', {
    params: { did: from.did },
    auth: from.accessJwt,
  })
  await post(to.server, 'com.atproto.repo.importRepo', {
    auth: to.accessJwt,
    body: archive.bytes,
    type: 'application/vnd.ipld.car',
  })
}

export async function importBlobs(from: Account, to: Account): Promise<void> {
  const missing = await missingBlobs(to)
  for (const cid of missing) {
    const blob = await get(from.server, 'com.atproto.sync.getBlob', {
      params: { did: from.did, cid },
      auth: from.accessJwt,
    })
    const uploaded = await post(to.server, 'com.atproto.repo.uploadBlob', {
      auth: to.accessJwt,
      body: blob.bytes,
      type: 'image/png',
    })
    assert.equal(uploaded.body.blob.ref.$link, cid)
  }
  assert.deepEqual(await missingBlobs(to), [])
}

async function missingBlobs({ server, accessJwt: auth }: Account): Promise<string[]> {
  const missing = await all<{ cid: string }>(server, 'com.atproto.repo.listMissingBlobs', 'blobs', { auth })
  return missing.map(({ cid }) => cid)
}

export async function importPreferences(from: Account, to: Account): Promise<void> {
  const { body } = await get(from.server, 'app.bsky.actor.getPreferences', { auth: from.accessJwt })
  await post(to.server, 'app.bsky.actor.putPreferences', {
    auth: to.accessJwt,
    input: { preferences: body.preferences },
  })
}

/** Has the old server sign the new one's recommendation, and the new one submit it. */
export async function changeIdentity(from: Account, to: Account, readCode: ReadCode): Promise<void> {
  const recommended = await get(to.server, 'com.atproto.identity.getRecommendedDidCredentials', {
    auth: to.accessJwt,
  })
  await post(from.server, 'com.atproto.identity.requestPlcOperationSignature', { auth: from.accessJwt })
  const token = await readCode(from.email)
  const signed = await post(from.server, 'com.atproto.identity.signPlcOperation', {
    auth: from.accessJwt,
    input: { ...recommended.body, token },
  })
  await post(to.server, 'com.atproto.identity.submitPlcOperation', {
    auth: to.accessJwt,
    input: { operation: signed.body.operation },
  })
}

/** Resolves when the directory has an account: this server creates accounts without waiting for it. */
export async function published(directory: string, did: string): Promise<void> {
  const isThere = async () => (await fetch(`${directory}/${did}`)).ok || undefined
  await poll(isThere, () => `the directory does not have ${did}`)
}

/** The directory's data of an account. */
export async function identityOf(directory: string, did: string) {
  const response = await fetch(`${directory}/${did}/data`)
  assert.equal(response.status, 200)
  return (await response.json()) as {
    verificationMethods: { atproto: string }
    rotationKeys: string[]
    alsoKnownAs: string[]
    services: { atproto_pds: { type: string; endpoint: string } }
  }
}

/** Asserts what holds for both servers and the directory after a move. */
export async function assertMoved(directory: string, from: Account, to: Account): Promise<void> {
  const identity = await identityOf(directory, to.did)
  assert.equal(identity.services.atproto_pds.endpoint, to.server)
  assert.equal(identity.alsoKnownAs[0], `at://${to.handle}`)

  const session = await post(to.server, 'com.atproto.server.createSession', {
    input: { identifier: to.handle, password: to.password },
  })
  assert.equal(session.body.did, to.did)
  assert.notEqual(session.body.active, false)
  assert.equal(session.body.didDoc.service[0].serviceEndpoint, to.server)
  const resolved = await get(to.server, 'com.atproto.identity.resolveHandle', {
    params: { handle: to.handle },
  })
  assert.equal(resolved.body.did, to.did)
  const status = await get(to.server, 'com.atproto.server.checkAccountStatus', { auth: to.accessJwt })
  assert.equal(status.body.activated, true)
  assert.equal(status.body.validDid, true)
  assert.equal(status.body.expectedBlobs, status.body.importedBlobs)

  const old = await get(from.server, 'com.atproto.sync.getRepoStatus', { params: { did: from.did } })
  assert.deepEqual(old.body, { did: from.did, active: false, status: 'deactivated' })
  const oldStatus = await get(from.server, 'com.atproto.server.checkAccountStatus', { auth: from.accessJwt })
  assert.equal(oldStatus.body.activated, false)
  assert.equal(oldStatus.body.validDid, false)
}
