/** Whether the network would find an account here. */

import { pdsEndpointOf, signingKeyOf } from '../identity/did-document.ts'
import type { ResolveDid } from '../identity/resolver.ts'
import type { Account } from '../store/tables/accounts.ts'

interface Deps {
  readonly resolveDid: ResolveDid
  readonly origin: string
}

/** Whether the DID's document names this server and the key that signs for the account. */
export async function isDidValid({ resolveDid, origin }: Deps, account: Account): Promise<boolean> {
  const document = await resolveDid(account.did).catch(() => undefined)
  return (
    document !== undefined &&
    pdsEndpointOf(document) === origin &&
    signingKeyOf(document) === account.signingKeyDid
  )
}
