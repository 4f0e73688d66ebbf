import { com } from '../../../../../lexicons/generated/index.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const listRequests = method(com.core.admin.listRequests, {
  auth: 'admin',
  handler({ params, operation: { inspector } }) {
    const { isOn, until } = inspector.state()
    return {
      on: isOn,
      until: until && iso(until),
      ...inspector.range(),
      requests: inspector.after(params.after ?? 0).map(({ isOwnPage, isInputCut, ...request }) => ({
        ...request,
        ownPage: isOwnPage,
        inputCut: isInputCut,
      })),
    }
  },
})
