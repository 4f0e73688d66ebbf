import { app } from '../../../../../lexicons/generated/index.ts'
import { replaceActorPreferences } from '../../../../app/preferences/actor-preferences.ts'
import { isOfMainPassword } from '../../../../identity/auth/scopes.ts'
import { method } from '../../../method.ts'

/** An account that moves here is not active yet when its preferences are stored. */
export const putPreferences = method(app.example.actor.putPreferences, {
  auth: 'access or takendown',
  maxBody: 1_000_000,
  async handler({ input, auth, store, names }) {
    const session = { did: auth.did, isFull: isOfMainPassword(auth.scope) }
    await store.transact((tx) => replaceActorPreferences({ names }, tx, session, input.preferences))
  },
})
