/** Accounts and sessions: sign-in, its tokens, tokens for other services. */

import { parseJson } from '../../../util/json.ts'
import { isSignedBy } from '../../../util/keys.ts'
import { systemTime } from '../../../util/timers.ts'
import { accountOf, credentialsOf, openedBy, provenOf, signIn } from '../account.ts'
import { expectError, expectStatus, outputOf } from '../answers.ts'
import { repositoryOf } from '../repository.ts'
import { must, type Requirement, should } from '../requirement.ts'
import { lexicon, reference, spec } from '../sources.ts'
import { shared } from '../target.ts'
import { expect, expectSame, relyOn, shown } from '../verdict.ts'

const createSession = 'com.atproto.server.createSession'
const getSession = 'com.atproto.server.getSession'
const refreshSession = 'com.atproto.server.refreshSession'
const deleteSession = 'com.atproto.server.deleteSession'
const tokens = spec('xrpc', 'Authentication')
const serviceTokens = spec('xrpc', 'Inter-Service Authentication (JWT)')
const refused = [400, 401, 403]

/** A session that is refreshed, and then deleted. */
const refreshedOf = shared(async (target) => {
  const first = await signIn(target, credentialsOf(target))
  const ask = { method: 'POST', token: first.refreshJwt, isAwaited: true }
  const second = openedBy(target, await target.call(refreshSession, ask))
  return { first, second }
})

/** The parts of a JWT. @throws Failed */
function partsOf(token: unknown) {
  expect(typeof token === 'string', `the token is ${shown(token)}`)
  const [head = '', payload = '', signature = ''] = token.split('.')
  const read = (part: string) =>
    parseJson(Buffer.from(part, 'base64url')) as Record<string, unknown> | undefined
  return {
    header: read(head),
    claims: read(payload),
    signed: Buffer.from(`${head}.${payload}`),
    signature: Buffer.from(signature, 'base64url'),
  }
}

const serviceTokenOf = shared(async (target) => {
  const account = await accountOf(target)
  const query = { aud: 'did:web:service.example.com', lxm: 'com.atproto.sync.getRepoStatus' }
  const { token } = outputOf(await account.call('com.atproto.server.getServiceAuth', { query }))
  return { ...partsOf(token), did: account.did }
})

export const session: readonly Requirement[] = [
  must(
    'session.create.output',
    'createSession answers the tokens, the handle and the DID',
    lexicon(createSession),
    async (target) => {
      const { did, handle, accessJwt, refreshJwt } = await signIn(target, credentialsOf(target))
      expect(/^did:/.test(did) && handle.includes('.'), `did is ${did}, handle is ${handle}`)
      expect(accessJwt && refreshJwt && accessJwt !== refreshJwt, 'the tokens are not two')
    },
  ),
  must('session.create.did', 'createSession accepts a DID', lexicon(createSession), async (target) => {
    const { did } = await accountOf(target)
    const opened = await signIn(target, { ...credentialsOf(target), identifier: did })
    expectSame(opened.did, did, 'did')
  }),
  must(
    'session.create.password',
    'A wrong password is answered 401',
    lexicon(createSession),
    async (target) => {
      const input = { ...credentialsOf(target), password: 'a wrong password' }
      // Otherwise it may refuse every password.
      await accountOf(target)
      expectError(await target.call(createSession, { input }), [401], ['AuthenticationRequired'])
    },
  ),
  must(
    'session.create.absent',
    'An unknown account is answered as a wrong password',
    reference('com.atproto.server.createSession'),
    async ({ call }) => {
      const input = { identifier: 'absent.example.com', password: 'a wrong password' }
      expectError(await call(createSession, { input }), [401], ['AuthenticationRequired'])
    },
  ),
  must('session.get', 'getSession answers the account of the token', lexicon(getSession), async (target) => {
    const { did, handle, call } = await accountOf(target)
    const output = outputOf(await call(getSession))
    expectSame([output.did, output.handle], [did, handle], 'did and handle')
  }),
  should('session.token.types', 'Tokens have the types at+jwt and refresh+jwt', tokens, async (target) => {
    const { accessJwt, refreshJwt } = await accountOf(target)
    const types = [accessJwt, refreshJwt].map((token) => partsOf(token).header?.typ)
    expectSame(types, ['at+jwt', 'refresh+jwt'], 'typ')
  }),
  must('session.token.access', 'An access token does not refresh', tokens, async (target) => {
    const { call } = await accountOf(target)
    await relyOn(refreshedOf(target))
    expectError(await call(refreshSession, { method: 'POST' }), refused)
  }),
  must('session.token.refresh', 'A refresh token is no access token', tokens, async (target) => {
    const { refreshJwt } = await provenOf(target)
    expectError(await target.call(getSession, { token: refreshJwt }), refused)
  }),
  must(
    'session.refresh',
    'refreshSession answers new tokens of the same account',
    lexicon(refreshSession),
    async (target) => {
      const { first, second } = await refreshedOf(target)
      expectSame(second.did, first.did, 'did')
      expect(second.refreshJwt !== first.refreshJwt, 'the refresh token is the same')
      outputOf(await target.call(getSession, { token: second.accessJwt }))
    },
  ),
  must('session.delete', 'A deleted session cannot be refreshed', lexicon(deleteSession), async (target) => {
    await relyOn(refreshedOf(target))
    const { refreshJwt } = await signIn(target, credentialsOf(target))
    expectStatus(await target.call(deleteSession, { method: 'POST', token: refreshJwt }), 200)
    expectError(await target.call(refreshSession, { method: 'POST', token: refreshJwt }), refused)
  }),
  must(
    'session.service.claims',
    'A service token has its issuer, audience, method, times and id',
    serviceTokens,
    async (target) => {
      const { claims = {}, did } = await serviceTokenOf(target)
      const { iss, aud, lxm, exp, iat, jti } = claims
      expectSame(
        [iss, aud, lxm],
        [did, 'did:web:service.example.com', 'com.atproto.sync.getRepoStatus'],
        'iss, aud, lxm',
      )
      expect(typeof exp === 'number' && typeof iat === 'number' && exp > iat, `exp is ${exp}, iat is ${iat}`)
      expect(typeof jti === 'string' && jti !== '', 'jti is absent')
    },
  ),
  must(
    'session.service.signature',
    'A service token is signed by the key of the account',
    serviceTokens,
    async (target) => {
      const { signed, signature, header } = await serviceTokenOf(target)
      const { signingKey } = await repositoryOf(target)
      expectSame(header?.alg, signingKey.startsWith('did:key:zDn') ? 'ES256' : 'ES256K', 'alg')
      expect(await isSignedBy(signingKey, signed, signature), 'the signature is wrong')
    },
  ),
  should(
    'session.service.lifetime',
    'A service token lives for some minutes at most',
    serviceTokens,
    async (target) => {
      const { claims = {} } = await serviceTokenOf(target)
      const seconds = Number(claims.exp) - Number(claims.iat)
      expect(seconds <= 300, `it lives for ${seconds} seconds`)
    },
  ),
  must(
    'session.service.expiry',
    'A service token that would have expired is refused',
    lexicon('com.atproto.server.getServiceAuth'),
    async (target) => {
      const exp = Math.floor(systemTime().getTime() / 1000) - 100_000_000
      const query = { aud: 'did:web:service.example.com', exp: String(exp) }
      const answer = await (await accountOf(target)).call('com.atproto.server.getServiceAuth', { query })
      expectError(answer, [400], ['BadExpiration'])
    },
  ),
]
