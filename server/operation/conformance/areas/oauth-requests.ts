/** Sign-in of apps by OAuth: requests up to the page of the server, with proofs of possession. What needs a person is not tried. */
import { errorOf, expectStatus } from '../answers.ts'
import { appOf, type Changes } from '../app.ts'
import { must, type Requirement } from '../requirement.ts'
import { rfc, spec } from '../sources.ts'
import type { Target } from '../target.ts'
import { expect, expectSame, Skipped, shown } from '../verdict.ts'

const metadata = spec('oauth', 'Server Metadata')
const proofs = spec('oauth', 'Demonstrating Proof of Possession (DPoP)')
const pushed = spec('oauth', 'Pushed Authorization Requests (PAR)')
const pkce = spec('oauth', 'Proof Key for Code Exchange (PKCE)')

/** Pushes a correct request, and the same with one mistake; both have the right nonce. */
async function expectRefused(target: Target, changes: Changes): Promise<void> {
  const app = await appOf(target)
  const nonce = await app.nonce()
  const right = await app.push({}, nonce)
  if (right.status >= 400)
    throw new Skipped(`the server refuses clients of this computer: ${right.status}${errorOf(right)}`)
  const answer = await app.push(changes, nonce)
  expect(answer.status >= 400 && answer.status < 500, `${shown(changes)} is answered ${answer.status}`)
  expect(typeof answer.json?.error === 'string', 'the answer has no error')
}

const refuses = (id: string, title: string, source: string, changes: Changes) =>
  must(id, title, source, (target) => expectRefused(target, changes))

export const oauthRequests: readonly Requirement[] = [
  must(
    'oauth.par.dpop-nonce',
    'A proof without a nonce is answered use_dpop_nonce, with a nonce',
    rfc(9449, '8'),
    async (target) => {
      const answer = await (await appOf(target)).push()
      expectStatus(answer, 400, 401)
      expectSame(answer.json?.error, 'use_dpop_nonce', 'error')
      expect(answer.headers.get('dpop-nonce'), 'the answer has no DPoP-Nonce')
    },
  ),
  must('oauth.par.dpop', 'A pushed request with the nonce is accepted', pushed, async (target) => {
    const app = await appOf(target)
    const answer = await app.push({}, await app.nonce())
    if (answer.json?.error === 'invalid_client')
      throw new Skipped(`the server refuses clients of this computer: ${errorOf(answer)}`)
    expectStatus(answer, 200, 201)
    const { request_uri: uri, expires_in: seconds } = answer.json ?? {}
    expect(typeof uri === 'string' && uri.startsWith('urn:'), `request_uri is ${shown(uri)}`)
    expect(Number.isInteger(seconds) && seconds > 0, `expires_in is ${shown(seconds)}`)
  }),
  must('oauth.par.dpop-wrong', 'A proof with another nonce is refused', proofs, async (target) => {
    const answer = await (await appOf(target)).push({}, 'not-a-nonce-of-the-server')
    expectStatus(answer, 400, 401)
  }),
  refuses('oauth.par.pkce', 'A request without code_challenge is refused', pkce, {
    code_challenge: undefined,
    code_challenge_method: undefined,
  }),
  refuses('oauth.par.pkce-plain', 'The challenge method plain is refused', pkce, {
    code_challenge_method: 'plain',
  }),
  refuses(
    'oauth.par.redirect',
    'A redirect that the client does not have is refused',
    spec('oauth', 'Request Fields'),
    {
      redirect_uri: 'https://other.example.com/callback',
    },
  ),
  refuses(
    'oauth.par.scope',
    'A request without the scope atproto is refused',
    spec('oauth', 'Authorization Scopes'),
    {
      scope: 'transition:generic',
    },
  ),
  refuses('oauth.par.response', 'Another response type than code is refused', metadata, {
    response_type: 'token',
  }),
  must('oauth.par.client', 'A request without client_id is refused', rfc(9126, '2.1'), async (target) => {
    const app = await appOf(target)
    const answer = await app.push({ client_id: undefined }, await app.nonce())
    expect(answer.status >= 400 && answer.status < 500, `it is answered ${answer.status}`)
  }),
  must('oauth.token.code', 'An unknown code is invalid_grant', rfc(6749, '5.2'), async (target) => {
    const app = await appOf(target)
    const verifier = 'v'.repeat(43)
    const form = {
      grant_type: 'authorization_code',
      code: 'cod-unknown',
      redirect_uri: 'http://127.0.0.1/callback',
      code_verifier: verifier,
    }
    const answer = await app.token(form, await app.nonce())
    expectStatus(answer, 400, 401)
    expect(
      ['invalid_grant', 'invalid_client'].includes(answer.json?.error),
      `the error is ${shown(answer.json?.error)}`,
    )
  }),
  must(
    'oauth.token.refresh',
    'An unknown refresh token is invalid_grant',
    rfc(6749, '5.2'),
    async (target) => {
      const app = await appOf(target)
      const answer = await app.token(
        { grant_type: 'refresh_token', refresh_token: 'ref-unknown' },
        await app.nonce(),
      )
      expectStatus(answer, 400, 401)
      expectSame(answer.json?.error, 'invalid_grant', 'error')
    },
  ),
]
