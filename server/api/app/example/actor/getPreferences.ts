import { app } from '../../../../../lexicons/generated/index.ts'
import { actorPreferences } from '../../../../identity/accounts/actor-preferences.ts'
import { scopes } from '../../../../identity/auth/scopes.ts'
import { method } from '../../../method.ts'

export const getPreferences = method(app.example.actor.getPreferences, {
  auth: 'access',
  handler({ auth, store, ...services }) {
    const session = { did: auth.did, isFull: auth.scope === scopes.full }
    return { preferences: actorPreferences(services, store, session) }
  },
})
