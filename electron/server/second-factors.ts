/** Removing second factors for a person at this computer, who can read the data of the server anyway. */
import { removeAllFactors } from '../../server/identity/factors/factors.ts'
import { findByIdentifier } from '../../server/repository/access/identifier.ts'
import type { Outcome } from '../ground/bridge.ts'
import { t } from '../ground/strings.ts'
import type { EmbeddedServer } from './server.ts'

/** @param identifier handle, DID or email address */
export async function removeFactors({ services }: EmbeddedServer, identifier: string): Promise<Outcome> {
  if (!services) return { ok: false, message: t.factors.stopped }
  const account = findByIdentifier(services.store, identifier)
  if (!account) return { ok: false, message: t.factors.unknown }
  await services.store.transact((tx) => removeAllFactors(tx, account.did))
  return { ok: true, value: undefined }
}
