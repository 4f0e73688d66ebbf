import { com } from '../../../../../lexicons/generated/index.ts'
import { type Scope, scopes } from '../../../../identity/auth/scopes.ts'
import { accountView, refreshExpiry, signTokens } from '../../../../identity/auth/sessions.ts'
import * as sessions from '../../../../identity/tables/sessions.ts'
import { takendownError } from '../../../../repository/access/status-errors.ts'
import { randomId } from '../../../../util/random.ts'
import { iso } from '../../../../util/time.ts'
import { method } from '../../../method.ts'

/** How long a replaced refresh token still works, for clients that refresh twice at once. */
const graceMs = 2 * 60 * 60_000

/** Uses of old tokens are noted this often. */
const noteAgainMs = 5 * 60_000

export const refreshSession = method(com.core.server.refreshSession, {
  auth: 'refresh',
  async handler({ auth, config, store, origin, now, identity, fail }) {
    const at = now()
    const { sessionId, jti, findSession } = auth
    const renewed = await store.transact((tx) => {
      const session = findSession()
      if (!session) return undefined
      if (session.scope === scopes.takendown) throw takendownError()
      const token = sessions.findRefreshToken(tx, jti)
      const isGraceOver = token?.graceUntil != null && token.graceUntil <= iso(at)
      if (token?.sessionId !== sessionId || isGraceOver) {
        // Open tabs with an old token do this all the time. A thief would too, so the account is shown it.
        const noted = session.oldTokenUsedAt
        if (noted === null || at.getTime() - Date.parse(noted) >= noteAgainMs) {
          sessions.noteOldToken(tx, sessionId, iso(at))
        }
        return undefined
      }
      const successor = token.successor ?? randomId()
      if (token.successor === null) {
        const graceUntil = iso(new Date(at.getTime() + graceMs))
        sessions.rotateRefreshToken(tx, { sessionId, jti, successor, graceUntil })
      }
      sessions.extend(tx, session, iso(at), refreshExpiry(tx, at))
      const issued = { did: session.did, sessionId, scope: session.scope as Scope, refreshJti: successor }
      // Signed while the transaction is written to the disk.
      return { session, tokens: signTokens(identity, issued) }
    })
    if (!renewed) throw fail('ExpiredToken', 'Token has been revoked')
    return {
      ...(await renewed.tokens),
      ...(await accountView({ config, origin, ...identity }, renewed.session)),
    }
  },
})
