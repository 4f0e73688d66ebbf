/** Sign-in of apps by OAuth: what they read first. */
import { expectStatus } from '../answers.ts'
import { issuerOf, resourceOf } from '../app.ts'
import { must, type Requirement } from '../requirement.ts'
import { rfc, spec } from '../sources.ts'
import { expect, expectSame, shown } from '../verdict.ts'
import { expectAllowed, expectReadable, fromPage, preflight } from './cors.ts'

const metadata = spec('oauth', 'Server Metadata')
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
