/** A move by the network's client library, which follows the server in the DID documents that sessions carry. */
import { test } from 'node:test'
import { AtpAgent } from '@atproto/api'
import { type Account, assertEqualContent, contentOf, createAccount, fill } from './accounts.ts'
import { assertMoved, type ReadCode } from './migration.ts'
import type { World } from './world.ts'

/**
 * Only to this server: while the identity still names the old server, sessions of the reference server name it as well, and the
 * library would call that.
 */
export function agentMoves({ theirs, ours, directory, readCode }: World): void {
  test('the client library moves an account to this server', async () => {
    const from = await createAccount(theirs.url, 'byagent')
    await fill(from)
    const before = await contentOf(from)
    const to = await moveByAgent(from, ours.url, readCode)
    await assertMoved(directory.url, from, to)
    assertEqualContent(await contentOf(to), before)
  })
}

async function moveByAgent(from: Account, server: string, readCode: ReadCode): Promise<Account> {
  const { did, handle, email } = from
  const password = 'password after the move'
  const before = new AtpAgent({ service: from.server })
  await before.login({ identifier: handle, password: from.password })

  const after = new AtpAgent({ service: server })
  const { data: description } = await after.com.atproto.server.describeServer()
  const lxm = 'com.atproto.server.createAccount'
  const { data: proof } = await before.com.atproto.server.getServiceAuth({ aud: description.did, lxm })
  await after.com.atproto.server.createAccount(
    { did, handle, email, password },
    { headers: { authorization: `Bearer ${proof.token}` }, encoding: 'application/json' },
  )
  await after.login({ identifier: did, password })

  const { data: archive } = await before.com.atproto.sync.getRepo({ did })
  await after.com.atproto.repo.importRepo(archive, { encoding: 'application/vnd.ipld.car' })
  await moveBlobs(before, after, did)
  const { data } = await before.app.bsky.actor.getPreferences()
  await after.app.bsky.actor.putPreferences(data)

  const { data: credentials } = await after.com.atproto.identity.getRecommendedDidCredentials()
  await before.com.atproto.identity.requestPlcOperationSignature()
  const token = await readCode(email)
  const { data: signed } = await before.com.atproto.identity.signPlcOperation({ ...credentials, token })
  await after.com.atproto.identity.submitPlcOperation(signed)
  await after.com.atproto.server.activateAccount()
  await before.com.atproto.server.deactivateAccount({})
  return { ...from, server, password, accessJwt: after.session?.accessJwt ?? '' }
}

async function moveBlobs(before: AtpAgent, after: AtpAgent, did: string): Promise<void> {
  let cursor: string | undefined
  do {
    const { data } = await before.com.atproto.sync.listBlobs({ did, ...(cursor !== undefined && { cursor }) })
    for (const cid of data.cids) {
      const blob = await before.com.atproto.sync.getBlob({ did, cid })
      const encoding = blob.headers['content-type'] ?? 'application/octet-stream'
      await after.com.atproto.repo.uploadBlob(blob.data, { encoding })
    }
    cursor = data.cursor
  } while (cursor !== undefined)
}
