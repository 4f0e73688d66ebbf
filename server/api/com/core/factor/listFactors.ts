import { com } from '../../../../../lexicons/generated/index.ts'
import * as rows from '../../../../identity/tables/second-factors.ts'
import { method } from '../../../method.ts'

export const listFactors = method(com.core.factor.listFactors, {
  auth: 'full',
  handler({ auth: { did, account }, store }) {
    const factors = rows.ofAccount(store, did)
    return {
      hasEmail: account.emailAuthFactor === 1,
      factors: factors.map(({ id, kind, name, host, createdAt, lastUsedAt }) => ({
        id,
        kind,
        name,
        host: host ?? undefined,
        createdAt,
        lastUsedAt: lastUsedAt ?? undefined,
      })),
      recoveryCodes: rows.countRecoveryCodes(store, did),
      wrongCodes: Math.max(0, ...factors.map(({ wrongCodes }) => wrongCodes)),
    }
  },
})
