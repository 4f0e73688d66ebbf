import { app } from '../../../../../lexicons/generated/index.ts'
import { subscription } from '../../../method.ts'

export const subscribe = subscription(app.example.notification.subscribe, {
  auth: 'access',
  connections: 20,
  handler: ({ auth, live, send }) => live.subscribe(auth.did, send),
})
