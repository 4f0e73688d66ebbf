import { app } from '../../../../../lexicons/generated/index.ts'
import { fromPush } from '../../../../platform/xrpc/from-push.ts'
import { subscription } from '../../../method.ts'

export const subscribe = subscription(app.example.notification.subscribe, {
  auth: 'access',
  connections: 20,
  handler: ({ auth, app: { live }, signal }) => fromPush(signal, (push) => live.subscribe(auth.did, push)),
})
