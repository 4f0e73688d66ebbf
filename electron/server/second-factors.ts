/** Removing second factors for a person at this computer, who can read the data of the server anyway. */
import { reportChange } from '../../server/identity/accounts/security-notice.ts'
import { removeAllFactors } from '../../server/identity/factors/factors.ts'
import { findByIdentifier } from '../../server/repository/access/identifier.ts'
import { args, text } from '../ground/arguments.ts'
import { type CallsOf, outcome } from '../ground/calls.ts'
import { t } from '../ground/strings.ts'
import type { EmbeddedServer } from './server.ts'

export function factorCalls(server: EmbeddedServer): CallsOf<'factors'> {
  return {
    'factors.remove': outcome(args(text(500)), async (identifier) => {
      const { services } = server
      if (!services) throw new Error(t.factors.stopped)
      const account = findByIdentifier(services.store, identifier)
      if (!account) throw new Error(t.factors.unknown)
      await services.store.transact((tx) => removeAllFactors(tx, account.did))
      await reportChange(services, account, 'factorRemoved', { client: undefined, isAdmin: true })
    }),
  }
}
