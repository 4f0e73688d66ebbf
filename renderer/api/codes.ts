/** Codes that protect an account: where this server sends them, and those in exchange for the main password. */
import { com } from '../../lexicons/generated/index.ts'
import { callAs } from './client.ts'
import { type Input, usePublicXrpcQuery } from './hooks.ts'
import { useSession } from './sessions.ts'

/** Whether this server keeps codes in its outbox, because it has no mail server; undefined until it has answered. */
export function useKeepsMail(): boolean | undefined {
  const { data } = usePublicXrpcQuery(com.core.server.describeServer, {})
  return data && data.mailDelivery === 'outbox'
}

/** Where this server sends codes; `mail` until it has answered. */
export function useDelivery(): 'mail' | 'outbox' {
  return useKeepsMail() ? 'outbox' : 'mail'
}

/**
 * Whether the current account needs a mailed code for what could lock its holder out, else the main password. Undefined until the
 * server has answered. The rule is that of `createCode`.
 */
export function useNeedsMailedCode(): boolean | undefined {
  const { email, emailConfirmed } = useSession()
  const keepsMail = useKeepsMail()
  if (!email || !emailConfirmed) return false
  return keepsMail === undefined ? undefined : !keepsMail
}

type Purpose = Input<typeof com.core.server.createCode.main>['purpose']

/** Exchanges the fields `password` and `factor` of a form for a code. */
export async function codeForPassword(
  did: string,
  purpose: Purpose,
  field: (name: string) => string,
): Promise<string> {
  const authFactorToken = field('factor').trim() || undefined
  const body = { purpose, password: field('password'), authFactorToken }
  return (await callAs(did, com.core.server.createCode, { body })).token
}
