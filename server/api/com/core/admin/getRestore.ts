import type { DatetimeString } from '@atproto/lex-schema'
import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requireRestores } from '../../../../operation/replicas/restores/restores.ts'
import { method } from '../../../method.ts'

export const getRestore = method(com.core.admin.getRestore, {
  auth: 'admin',
  handler({ caller, operation, fail }) {
    requireThisComputer({ caller, fail })
    const { state } = requireRestores(operation, fail)
    if (state.step === 'opened') {
      const { createdAt, handles, ...preview } = state.preview
      return {
        ...{ step: state.step, id: state.id },
        preview: { ...preview, handles: [...handles], at: createdAt as DatetimeString },
      }
    }
    if (state.step === 'restored') {
      const { result } = state
      return { ...state, result: { ...result, at: result.at as DatetimeString } }
    }
    return state
  },
})
