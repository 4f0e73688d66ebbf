import type { DatetimeString } from '@atproto/lex-schema'
import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { redactText } from '../../../../operation/inspector/redact.ts'
import { method } from '../../../method.ts'

export const getLog = method(com.core.admin.getLog, {
  auth: 'admin',
  handler({ params: { cursor: after, limit }, caller, logTail, fail }) {
    requireThisComputer({ caller, fail })
    const { lines, cursor } = logTail.after(after, limit)
    return {
      cursor,
      lines: lines.map(({ time, level, message, fields }) => ({
        ...{ time: time as DatetimeString, level },
        // The logger hides secrets by their names, not in the text of an error.
        ...{ message: redactText(message), fields: redactText(fields) },
      })),
    }
  },
})
