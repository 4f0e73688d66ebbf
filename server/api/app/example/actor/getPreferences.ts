import { app } from '../../../../../lexicons/generated/index.ts'
import { actorPreferences } from '../../../../app/preferences/actor-preferences.ts'
import { isOfMainPassword } from '../../../../identity/auth/scopes.ts'
import { method } from '../../../method.ts'

export const getPreferences = method(app.example.actor.getPreferences, {
  auth: 'access or takendown',
  handler({ auth, store, names, now }) {
    const session = { did: auth.did, isFull: isOfMainPassword(auth.scope) }
    return { preferences: actorPreferences({ names, now }, store, session) }
  },
})
