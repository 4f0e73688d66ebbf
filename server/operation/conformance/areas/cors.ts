/** Pages of other origins, as browsers let them call. */

import { isLoopbackHost } from '../../../platform/xrpc/host.ts'
import { accountOf } from '../account.ts'
import type { Answer } from '../http.ts'
import { type Requirement, should } from '../requirement.ts'
import { spec } from '../sources.ts'
import type { Target } from '../target.ts'
import { expect, shown } from '../verdict.ts'

const rule = spec('xrpc', 'Lexicon HTTP Endpoints')
const describeServer = 'com.atproto.server.describeServer'

/** The origin of a page. A server on this computer may refuse pages of other ones. */
function originFor({ url }: Target): string {
  return isLoopbackHost(new URL(url).host) ? 'http://localhost:5173' : 'https://app.example.com'
}

/** @throws Failed unless a page of another origin may read the answer */
export function expectReadable(target: Target, { asked, headers }: Answer): void {
  const allowed = headers.get('access-control-allow-origin')
  expect(
    allowed === '*' || allowed === originFor(target),
    `${asked}: Access-Control-Allow-Origin is ${allowed}`,
  )
}

/** The headers of a preflight. */
export function preflight(target: Target, method: string, headers: string): Readonly<Record<string, string>> {
  return {
    ...fromPage(target),
    'access-control-request-method': method,
    'access-control-request-headers': headers,
  }
}

export const fromPage = (target: Target) => ({ origin: originFor(target) })

/** @throws Failed unless the preflight lets a page send the headers */
export function expectAllowed(target: Target, answer: Answer, headers: string): void {
  expectReadable(target, answer)
  expect(answer.status >= 200 && answer.status < 300, `${answer.asked} answered ${answer.status}`)
  const allowed = (answer.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(/\s*,\s*/)
  // The Fetch standard has no wildcard for Authorization.
  for (const name of headers.split(','))
    expect(
      allowed.includes(name) || (allowed.includes('*') && name !== 'authorization'),
      `${name} is not among ${shown(allowed.join())}`,
    )
}

export const cors: readonly Requirement[] = [
  should('cors.answer', 'A page of another origin reads answers', rule, async (target) => {
    expectReadable(target, await target.call(describeServer, { headers: fromPage(target) }))
  }),
  should('cors.error', 'A page of another origin reads errors', rule, async (target) => {
    expectReadable(target, await target.call('com.atproto.sync.getRepo', { headers: fromPage(target) }))
  }),
  should(
    'cors.credentials',
    'A page of another origin reads answers to calls with a token',
    rule,
    async (target) => {
      const { call } = await accountOf(target)
      expectReadable(target, await call('com.atproto.server.getSession', { headers: fromPage(target) }))
    },
  ),
  should(
    'cors.preflight',
    'A page may send Authorization, Content-Type, DPoP and atproto-proxy',
    rule,
    async (target) => {
      const headers = 'authorization,content-type,dpop,atproto-proxy,atproto-accept-labelers'
      const path = '/xrpc/com.atproto.repo.createRecord'
      expectAllowed(
        target,
        await target.send(path, { method: 'OPTIONS', headers: preflight(target, 'POST', headers) }),
        headers,
      )
    },
  ),
  should('cors.blob', 'A page of another origin reads the errors of getBlob', rule, async (target) => {
    expectReadable(target, await target.call('com.atproto.sync.getBlob', { headers: fromPage(target) }))
  }),
]
