import { com } from '../../../../../lexicons/generated/index.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { PlacesNotSaved, restartSoon } from '../../../../operation/host.ts'
import { requireChangeable } from '../../../../operation/replicas/own-places.ts'
import { method } from '../../../method.ts'

export const removeCopyPlace = method(com.core.admin.removeCopyPlace, {
  auth: 'admin',
  async handler({ input: { url }, auth, caller, operation, fail, ...platform }) {
    requireThisComputer({ caller, fail })
    const places = requireChangeable(operation, fail)
    const isRemoved = await places.remove(url).catch((error: unknown) => {
      if (!(error instanceof PlacesNotSaved)) throw error
      platform.log.warn({ err: error }, 'place of copies not removed')
      throw fail('PlacesNotSaved', error.message)
    })
    if (!isRemoved) throw fail('PlaceNotFound', 'This place was not added here, or is removed already')
    // It takes no password, so that a place that is lost can be removed: a thief of a session is noticed instead.
    if (auth.session) await reportChange(platform, auth.session.account, 'backups', caller)
    restartSoon(operation, platform)
  },
})
