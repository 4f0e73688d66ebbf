import { isValidDid } from '@atproto/syntax'
import { com } from '../../../../../lexicons/generated/index.ts'
import { isImport, isManagement, needsPrivilege, scopes } from '../../../../identity/auth/scopes.ts'
import { createServiceJwt } from '../../../../identity/did/service-jwt.ts'
import { randomId } from '../../../../util/random.ts'
import { method } from '../../../method.ts'

const defaultLifetimeSeconds = 60
const maxLifetimeSeconds = 60 * 60

export const getServiceAuth = method(com.core.server.getServiceAuth, {
  auth: 'access or takendown',
  async handler({ params, auth, now, fail }) {
    const { aud, lxm } = params
    if (!isAudience(aud))
      throw fail('InvalidRequest', 'aud must be a DID, or a DID with # and the name of a service')
    const iat = Math.floor(now().getTime() / 1000)
    const exp = params.exp ?? iat + defaultLifetimeSeconds
    if (exp <= iat) throw fail('BadExpiration', 'exp is in the past')
    if (exp > iat + maxLifetimeSeconds) throw fail('BadExpiration', 'exp is more than an hour ahead')
    if (lxm === undefined && exp > iat + defaultLifetimeSeconds) {
      throw fail('BadExpiration', 'If lxm is missing, exp may be 60 seconds ahead at most')
    }

    auth.permissions?.requireServiceToken(lxm, aud)
    if (lxm !== undefined && isManagement(lxm)) {
      throw fail(
        'InvalidRequest',
        'No service token is issued for methods that manage accounts, identities or a server',
      )
    }
    if (auth.scope === scopes.takendown && (lxm === undefined || !isImport(lxm)))
      throw fail('InvalidToken', 'Bad token scope')
    // Services that accept a token for any method would take it for chat and imports, too.
    if (auth.scope === scopes.appPassword && (lxm === undefined || needsPrivilege(lxm)))
      throw fail(
        'InvalidToken',
        lxm === undefined ? 'Bad token method: name one with lxm' : 'Bad token method',
      )

    const { did, account } = auth
    const claims = { iss: did, aud, lxm, iat, exp, jti: randomId() }
    return { token: await createServiceJwt({ ...claims, privateKey: account.signingKey }) }
  },
})

function isAudience(aud: string): boolean {
  const [did = '', service, ...rest] = aud.split('#')
  return isValidDid(did) && rest.length === 0 && (service === undefined || /^[\w.-]+$/.test(service))
}
