import { app } from '../../../../../lexicons/generated/index.ts'
import { preferencesOf } from '../../../../app/notifications/preferences.ts'
import { method } from '../../../method.ts'

export const getPreferences = method(app.example.notification.getPreferences, {
  auth: 'access',
  handler({ auth, store }) {
    return { preferences: preferencesOf(store, auth.did) }
  },
})
