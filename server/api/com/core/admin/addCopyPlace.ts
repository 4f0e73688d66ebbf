import { com } from '../../../../../lexicons/generated/index.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requireOwnerProof } from '../../../../identity/callers/owner-proof.ts'
import { restartSoon } from '../../../../operation/host.ts'
import { requireChangeable } from '../../../../operation/replicas/own-places.ts'
import { hourly } from '../../../../platform/config/rate-limits.ts'
import { method } from '../../../method.ts'

export const addCopyPlace = method(com.core.admin.addCopyPlace, {
  auth: 'admin',
  limits: [hourly(60, 'account')],
  async handler({ input, auth, caller, operation, identity, fail, ...platform }) {
    requireThisComputer({ caller, fail })
    const places = requireChangeable(operation, fail)
    await requireOwnerProof({ auth, input, caller, identity, fail })
    const { place, sameDisk: maySameDisk = false } = input
    const { kind, address, user = '', bucket = '', region = '', accessKeyId = '', secret = '' } = place
    const given = { kind, address, user, bucket, region, accessKeyId, secret }
    const added = await places.add(given, { maySameDisk })
    if (added === 'sameDisk') {
      throw fail(
        'SameDisk',
        'This folder is on the same disk as the server: if the disk breaks, the copy is lost, too. Choose a folder on another disk.',
      )
    }
    if (added.url !== undefined) {
      if (auth.session) await reportChange(platform, auth.session.account, 'backups', caller)
      restartSoon(operation, platform)
    }
    const problems = Object.entries(added.problems).map(([field, problem]) => ({ field, problem }))
    return { problems, url: added.url }
  },
})
