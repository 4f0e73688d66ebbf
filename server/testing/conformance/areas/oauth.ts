/** Sign-in of apps by OAuth: the documents, pushed requests, proofs of possession. What needs a person is not tried. */

import { errorOf, expectStatus } from '../answers.ts'
import { appOf, type Changes, issuerOf, resourceOf } from '../app.ts'
import { expect, expectSame, must, type Requirement, Skipped, shown } from '../requirement.ts'
import { rfc, spec } from '../sources.ts'
import type { Target } from '../target.ts'
import { expectAllowed, expectReadable, fromPage, preflight } from './cors.ts'

const metadata = spec('oauth', 'Server Metadata')
const proofs = spec('oauth', 'Demonstrating Proof of Possession (DPoP)')
const pushed = spec('oauth', 'Pushed Authorization Requests (PAR)')
const pkce = spec('oauth', 'Proof Key for Code Exchange (PKCE)')
const resource = '/.well-known/oauth-protected-resource'

/** Values that a list of the metadata must have. */
const lists: Readonly<Record<string, readonly string[]>> = {
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
  token_endpoint_auth_signing_alg_values_supported: ['ES256'],
  scopes_supported: ['atproto'],
  dpop_signing_alg_values_supported: ['ES256'],
}

const flags = [
  ...['authorization_response_iss_parameter_supported', 'require_pushed_authorization_requests'],
  'client_id_metadata_document_supported',
]

/** Pushes a request with one mistake and the right nonce, beside one without a mistake. */
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

export const oauth: readonly Requirement[] = [
  must(
    'oauth.resource',
    'The server names one authorization server by its origin',
    metadata,
    async (target) => {
      const { authorization_servers: servers } = await resourceOf(target)
      expect(Array.isArray(servers) && servers.length === 1, `authorization_servers is ${shown(servers)}`)
      expectSame(servers[0], URL.parse(servers[0])?.origin, 'authorization_servers')
      return servers[0]
    },
  ),
  must(
    'oauth.resource.url',
    'The document of the resource names its own origin',
    rfc(9728, '3.3'),
    async (target) => {
      expectSame((await resourceOf(target)).resource, target.url, 'resource')
    },
  ),
  must('oauth.issuer', 'The issuer is the origin of its document', metadata, async (target) => {
    const { authorization_servers: servers } = await resourceOf(target)
    const { issuer } = await issuerOf(target)
    expectSame([issuer], servers, 'issuer')
  }),
  must(
    'oauth.issuer.endpoints',
    'The document of the issuer names its endpoints',
    metadata,
    async (target) => {
      const document = await issuerOf(target)
      for (const name of [
        'authorization_endpoint',
        'token_endpoint',
        'pushed_authorization_request_endpoint',
      ])
        expect(URL.canParse(String(document[name])), `${name} is ${shown(document[name])}`)
    },
  ),
  must(
    'oauth.issuer.lists',
    'The issuer supports what all apps of the network use',
    metadata,
    async (target) => {
      const document = await issuerOf(target)
      for (const [name, values] of Object.entries(lists)) {
        const found = document[name]
        for (const value of values)
          expect(
            Array.isArray(found) && found.includes(value),
            `${name} is ${shown(found)}, without ${value}`,
          )
      }
      const algorithms = document.token_endpoint_auth_signing_alg_values_supported as string[]
      expect(!algorithms.includes('none'), 'the algorithm none is supported')
    },
  ),
  must(
    'oauth.issuer.flags',
    'The issuer requires pushed requests and answers with its name',
    metadata,
    async (target) => {
      const document = await issuerOf(target)
      for (const name of flags) expectSame(document[name], true, name)
      expect(document.require_request_uri_registration !== false, 'require_request_uri_registration is false')
    },
  ),
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
    spec('oauth', 'Authorization Request Fields'),
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
  must(
    'oauth.cors',
    'Pages of other origins read the documents',
    spec('oauth', 'Authorization Servers'),
    async (target) => {
      expectReadable(target, await target.send(resource, { headers: fromPage(target) }))
      const { issuer } = await issuerOf(target)
      expectReadable(
        target,
        await target.send(`${issuer}/.well-known/oauth-authorization-server`, { headers: fromPage(target) }),
      )
    },
  ),
  must(
    'oauth.cors.par',
    'Pages of other origins may push requests and ask for tokens',
    spec('oauth', 'Authorization Servers'),
    async (target) => {
      const document = await issuerOf(target)
      for (const name of ['pushed_authorization_request_endpoint', 'token_endpoint']) {
        const headers = 'content-type,dpop'
        const ask = { method: 'OPTIONS', headers: preflight(target, 'POST', headers) }
        expectAllowed(target, await target.send(String(document[name]), ask), headers)
      }
    },
  ),
  must(
    'oauth.token.scheme',
    'A token of the scheme DPoP that is none is refused',
    rfc(9449, '7.1'),
    async ({ call }) => {
      const headers = { authorization: 'DPoP not-a-token', dpop: 'not-a-proof' }
      expectStatus(await call('com.atproto.server.getSession', { headers }), 400, 401)
    },
  ),
]
