import { com } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const acceptEmptyPlace = method(com.core.admin.acceptEmptyPlace, {
  auth: 'admin',
  async handler({ input: { url }, operation: { copies }, fail }) {
    const place = copies.status().find((each) => each.url === url)
    if (!place) throw fail('InvalidRequest', 'This is no place of the copies')
    // The permission lasts until the server begins anew there.
    if (place.problem?.kind !== 'empty') throw fail('InvalidRequest', 'This place is not empty')
    await copies.acceptEmpty(url)
  },
})
