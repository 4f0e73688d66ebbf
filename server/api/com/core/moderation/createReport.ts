import { AtUri } from '@atproto/syntax'
import { com } from '../../../../../lexicons/generated/index.ts'
import * as reports from '../../../../app/tables/reports.ts'
import { didOf } from '../../../../app/views/find/named.ts'
import { renameInUri } from '../../../../platform/config/aliases.ts'
import { daily, hourly } from '../../../../platform/config/rate-limits.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

const { repoRef } = com.core.admin.defs
const { strongRef } = com.core.repo

/** Open reports of an account at most: the owner reads each. */
const maxOpen = 200

export const createReport = method(com.core.moderation.createReport, {
  // A taken-down account may appeal.
  auth: 'access or takendown',
  limits: [hourly(50, 'account'), daily(100, 'account')],
  async handler({ input, auth, headers, store, names, serverDid, now, fail }) {
    const service = headers['atproto-proxy']?.toString().trim().replace(/#.*/, '')
    // Not for the owner of this server: it may be about the owner.
    if (service !== undefined && service !== serverDid) {
      throw fail(
        'InvalidRequest',
        'This server has no app view, so it forwards no reports. Choose this server as the moderation service.',
      )
    }
    const subject = subjectOf(input.subject)
    if (!subject) throw fail('InvalidRequest', 'The subject must be an account or a record')
    store.assertRoom()
    const createdAt = iso(now())
    const { reasonType, reason } = input
    const id = await store.transact((tx) => {
      if (reports.countOpen(tx, auth.did) >= maxOpen) {
        throw fail(
          'RateLimitExceeded',
          `The owner of this server has not closed ${maxOpen} of your reports yet`,
        )
      }
      return reports.add(tx, auth.did, { ...subject, reasonType, reason: reason ?? null, createdAt })
    })
    return { id, reasonType, reason, subject: input.subject, reportedBy: auth.did, createdAt }

    function subjectOf(named: typeof input.subject): reports.Subject | undefined {
      if (repoRef.$isTypeOf(named)) return { did: named.did, uri: null, cid: null }
      if (!strongRef.$isTypeOf(named)) return undefined
      const did = didOf(store, new AtUri(named.uri).host)
      return did && { did, uri: renameInUri(named.uri, names.stored), cid: named.cid }
    }
  },
})
