/** The proof for what a stolen session of the owner must not do on its own. */
import type { AdminCredentials } from './credentials.ts'
import type { Proof, RequireProof } from './proof.ts'

interface Call {
  readonly auth: AdminCredentials
  readonly input: { readonly [Name in keyof Proof]?: string | undefined }
  readonly caller: { readonly network: string }
  readonly identity: { readonly requireProof: RequireProof }
  readonly fail: (name: 'PasswordRequired', message: string) => Error
}

/**
 * Requires the main password of the owner and, if the account has second factors, a code of one. The admin password needs no more.
 * @throws XrpcError `PasswordRequired`, as `RequireProof`
 */
export async function requireOwnerProof({ auth, input, caller, identity, fail }: Call): Promise<void> {
  if (!auth.session) return
  const { password, authFactorToken } = input
  if (password === undefined) throw fail('PasswordRequired', 'Enter your main password for this')
  await identity.requireProof(auth.session, { password, authFactorToken }, caller.network)
}
