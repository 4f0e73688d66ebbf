import { com } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const dismissLostChanges = method(com.core.admin.dismissLostChanges, {
  auth: 'admin',
  async handler({ input: { url }, operation: { copies }, fail }) {
    const isPlace = copies.status().some((each) => each.url === url)
    if (!isPlace) throw fail('InvalidRequest', 'This is no place of the copies')
    await copies.dismissLost(url)
  },
})
