import { app } from '../../../../../lexicons/generated/index.ts'
import { changePreferences } from '../../../../app/notifications/preferences.ts'
import { method } from '../../../method.ts'

export const putPreferences = method(app.example.notification.putPreferences, {
  auth: 'access or takendown',
  async handler({ input, auth, store }) {
    const preferences = await store.transact((tx) => changePreferences(tx, auth.did, input.preferences))
    return { preferences }
  },
})
