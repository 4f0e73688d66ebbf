import { app } from '../../../../../lexicons/generated/index.ts'
import { changePreferences } from '../../../../app/notifications/preferences.ts'
import { method } from '../../../method.ts'

export const putPreferencesV2 = method(app.example.notification.putPreferencesV2, {
  auth: 'access or takendown',
  async handler({ input, auth, store }) {
    const preferences = await store.transact((tx) => changePreferences(tx, auth.did, input))
    return { preferences }
  },
})
