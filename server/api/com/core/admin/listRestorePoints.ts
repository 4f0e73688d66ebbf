import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requireRestores } from '../../../../operation/replicas/restores/restores.ts'
import { sentenceOf } from '../../../../operation/replicas/restores/sentence.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

export const listRestorePoints = method(com.core.admin.listRestorePoints, {
  auth: 'admin',
  async handler({ params: { url }, caller, operation, log, fail }) {
    requireThisComputer({ caller, fail })
    const restores = requireRestores(operation, fail)
    const points = await restores.points(url).catch((error: unknown) => {
      log.warn({ err: error }, 'place not read for its restore points')
      throw fail('PlaceUnavailable', sentenceOf(error))
    })
    return { points: points.map((at) => ({ at: iso(at) })) }
  },
})
