/** Recovery of an account with its recovery key. */
import type { DidString, HandleString, LexMap } from '@atproto/lex-schema'
import { com } from '../../lexicons/generated/index.ts'
import { openArchive } from './account-archive.ts'
import { type Body, call, callAs } from './client.ts'
import type { RotationKey } from './rotation-key.ts'
import { addSession } from './sessions.ts'
import { asAdmin } from './sign-in.ts'
import { type Session, sessionFrom } from './vault.ts'

/** What a key can do for an identity. */
export type Found = Body<typeof com.core.move.prepareRecovery.main> & { readonly key: RotationKey }

/** The text is no secret key. */
export class NotAKey extends Error {
  readonly isPublic: boolean

  constructor(isPublic: boolean) {
    super()
    this.isPublic = isPublic
  }
}

/** The file is no archive of an account. */
export class NotAnArchive extends Error {}

/** Finds what a secret key can do for an identity. @throws NotAKey */
export async function findIdentity(identifier: string, secret: string): Promise<Found> {
  // The only part of the interface in a bundle of its own: its curves are a tenth of the whole, and few ever need them.
  const { readRotationKey } = await import('./rotation-key.ts')
  const key = readRotationKey(secret)
  if (!key) throw new NotAKey(/^\s*(?:did:key:|zDn|zQ3s)/.test(secret))
  const body = { identifier, key: key.publicKey }
  return { ...(await call(com.core.move.prepareRecovery, { body })), key }
}

export interface RecoveredAccount {
  readonly handle: string
  readonly password: string
  readonly email: string | undefined
  readonly inviteCode: string | undefined
}

/** Signs that the identity names this server, and creates the deactivated account. @param adminPassword as for `signUp` */
export async function createRecovered(
  { did, key, operation }: Found,
  account: RecoveredAccount,
  adminPassword: string | undefined,
): Promise<Session> {
  const { alsoKnownAs, ...unsigned } = operation as LexMap & { readonly alsoKnownAs: string[] }
  const names = [`at://${account.handle}`, ...alsoKnownAs]
  const plcOp = key.sign({ ...unsigned, alsoKnownAs: names })
  const handle = account.handle as HandleString
  const body = { ...account, handle, did: did as DidString, plcOp }
  const opened = await call(com.core.server.createAccount, { body, headers: asAdmin(adminPassword) })
  const session = sessionFrom({ ...opened, active: false, status: 'deactivated' })
  addSession(session)
  return session
}

export type RecoveryStep =
  | { readonly name: 'importing' | 'publishing' }
  | { readonly name: 'uploading'; readonly done: number; readonly total: number }

/** Imports the archive of an account, if there is one, and activates it: then its identity names this server. @throws NotAnArchive */
export async function bringData(
  did: DidString,
  file: File | undefined,
  onStep: (step: RecoveryStep) => void,
): Promise<void> {
  if (file) {
    onStep({ name: 'importing' })
    const archive = await openArchive(file)
    if (!archive) throw new NotAnArchive()
    const { repository, media } = archive
    await callAs(did, com.core.repo.importRepo, { body: repository })
    for (const [done, body] of media.entries()) {
      onStep({ name: 'uploading', done, total: media.length })
      await callAs(did, com.core.repo.uploadBlob, { body })
    }
  }
  onStep({ name: 'publishing' })
  await callAs(did, com.core.server.activateAccount, {})
}
