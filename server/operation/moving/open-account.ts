/** Creates the account at the server that it moves to, or finds it there after an attempt whose response was lost. */

import type { Json } from './side.ts'
import { isFinal } from './steps.ts'

export interface NewAccount {
  readonly did: string
  readonly handle: string
  readonly email: string | undefined
  readonly password: string
  readonly inviteCode: string | undefined
}

/** Calls a procedure of the new server, with a service token if one is given. */
export type Post = (nsid: string, input: Json, token?: string) => Promise<Json>

/** Returns the response with the session of the deactivated account. @throws errors of createAccount */
export async function openAccount(post: Post, account: NewAccount, serviceToken: string): Promise<Json> {
  const { did, password } = account
  try {
    return await post('com.core.server.createAccount', { ...account }, serviceToken)
  } catch (error) {
    if (!isFinal(error)) throw error
    const session = await post('com.core.server.createSession', { identifier: did, password }).catch(
      () => undefined,
    )
    if (session?.did === did && session.active === false) return session
    throw error
  }
}
