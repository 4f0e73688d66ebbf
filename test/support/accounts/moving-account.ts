/** Accounts that move to a test server: created with the DID of a web host, deactivated. */
import { P256Keypair } from '@atproto/crypto'
import { findByDid } from '../../../server/store/tables/accounts.ts'
import type { Account, Answer, ServerClient } from '../server/client.ts'
import type { TestServer } from '../server/server.ts'
import { type DidHost, didDocument } from './did-host.ts'
import { signServiceJwt } from './jwt.ts'

/** Creates `<name>.test` with the DID of a host. */
export async function movingAccount(
  server: TestServer,
  { did, documents }: DidHost,
  name: string,
): Promise<Account> {
  const key = await P256Keypair.create()
  documents.set(did, didDocument(did, key, `${name}.old.example`))
  const iat = Math.floor(server.clock.now().getTime() / 1000)
  const lxm = 'com.core.server.createAccount'
  const claims = { iss: did, aud: 'did:web:pds.test', lxm, iat, exp: iat + 60, jti: `${name} ${iat}` }
  const input = { handle: `${name}.test`, email: `${name}@mail.test`, password: `${name}-password` }
  const { status, body } = await server.post(lxm, { did, ...input }, await signServiceJwt(key, claims))
  if (status !== 200) throw new Error(`createAccount: ${JSON.stringify(body)}`)
  return { ...input, ...body }
}

/** Publishes that the account lives at the server, and activates it. */
export async function arrive(
  server: TestServer,
  { did, documents }: DidHost,
  account: Account,
): Promise<void> {
  const key = { did: () => findByDid(server.running.services.store, did)?.signingKeyDid ?? '' }
  documents.set(did, didDocument(did, key, account.handle, 'https://pds.test'))
  const { status, body } = await server.post('com.core.server.activateAccount', undefined, account)
  if (status !== 200) throw new Error(`activateAccount: ${JSON.stringify(body)}`)
}

export function importRepo(
  server: ServerClient,
  account: { readonly accessJwt: string },
  archive: RequestInit['body'],
  headers: Record<string, string> = {},
): Promise<Answer> {
  const type = { 'content-type': 'application/vnd.ipld.car' }
  const init = { body: archive, duplex: 'half' } as RequestInit
  return server.fetch('/xrpc/com.core.repo.importRepo', {
    method: 'POST',
    headers: { authorization: `Bearer ${account.accessJwt}`, ...type, ...headers },
    ...init,
  })
}
