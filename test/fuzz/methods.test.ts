/**
 * Fuzzes every method: no internal error, no hang, no internals in messages, only responses that the lexicon declares.
 * `FUZZ_SEED=random` or a number changes the inputs, `FUZZ_RUNS` their number.
 */
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { jsonToLex } from '@atproto/lex-json'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { methods } from '../../server/api/index.ts'
import { protocolErrors } from '../../server/platform/xrpc/xrpc-errors.ts'
import { type Account, adminAuth } from '../support/server/server.ts'
import { server, setupServer } from '../support/server/setup.ts'
import { inlineFiles } from '../support/store/inline-files.ts'
import { oddHeaders } from './tokens.ts'
import { garbage, type Known, type Request, requests } from './values.ts'

type Method = (typeof methods)[number]

const { FUZZ_SEED = '2583', FUZZ_RUNS = '30' } = process.env
const seed = FUZZ_SEED === 'random' ? Date.now() & 0x7fffffff : Number(FUZZ_SEED)
const settings = { seed, numRuns: Number(FUZZ_RUNS) }
/** A request without a response in this time fails the test. */
const timeoutMs = 60_000

interface Sent {
  readonly verb: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array | undefined
}

interface Got {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let session: string
let refresh: string
let others: string[]
let someToken: string
let known: Known
let round = 0

setupServer({ files: inlineFiles, options: { inspector: 'on' } })
afterAll(() => agent.destroy())

/** New accounts for each method: earlier inputs may have changed or deleted the others. */
beforeEach(async () => {
  round++
  const [active, other, deactivated] = (await Promise.all(
    ['a', 'b', 'c'].map((name) => server.account(`${name}${round}x`)),
  )) as [Account, Account, Account]
  await server.post('com.core.server.deactivateAccount', {}, deactivated)
  const { body: made } = await server.post('com.core.server.createAppPassword', { name: 'app' }, active)
  const { body: app } = await server.post('com.core.server.createSession', {
    identifier: active.did,
    password: made.password,
  })
  const bearer = (token: string) => `Bearer ${token}`
  someToken = other.accessJwt
  session = bearer(active.accessJwt)
  refresh = bearer(active.refreshJwt)
  others = [bearer(app.accessJwt), bearer(deactivated.accessJwt), session, refresh, adminAuth]
  const texts = (...values: unknown[]) => values.map((value) => JSON.stringify(value))
  const dids = [active, other, deactivated].map(({ did }) => did)
  const seconds = Math.floor(server.clock.now().getTime() / 1000)
  known = {
    repo: texts(active.did, active.did, active.handle, other.did),
    identifier: texts(active.did, active.handle, active.email),
    handle: texts(...[1, 2, 3, 4].map((n) => `new${round}n${n}.test`), active.handle),
    email: texts(active.email, other.email, `new${round}@mail.test`),
    password: texts(active.password, made.password),
    deleteAfter: texts('2031-01-01T00:00:00Z'),
    aud: texts('did:web:pds.example', 'did:web:pds.example#service'),
    exp: texts(seconds + 30, seconds + 3000),
    did: texts(...dids),
    any: texts('app', 'admin', 'AAAAA-AAAAA', active.handle),
  }
})

const typeOf = (method: Method) => method.schema.type
const goodVerb = (method: Method) => (typeOf(method) === 'query' ? 'GET' : 'POST')
const headers = ({ auth }: Method) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant({ admin: adminAuth, refresh }[auth as string] ?? session) },
    { weight: 4, arbitrary: fc.constantFrom(undefined, ...others) },
    { weight: 1, arbitrary: oddHeaders(someToken) },
  )
const withAuth = (header: string | undefined): Record<string, string> =>
  header === undefined ? {} : { authorization: header }

/** Without host names to look up, which may take long. */
const inputs = (nsid: string) => {
  const generated = requests(nsid, known)
  return nsid === 'com.core.admin.addUpstream' ? generated.map(withoutNames) : generated
}

function withoutNames({ body, query }: Request): Request {
  return { query, body: body?.replace(/("url":)"[^"]*[a-z][^"]*"/i, '$1"127.0.0.1:1"') }
}

describe.each(methods.map((method) => [method.nsid, method] as const))('%s', (nsid, method) => {
  test('responds to generated input as its lexicon declares', async () => {
    await fc.assert(
      fc.asyncProperty(inputs(nsid), headers(method), async ({ body, query }, header) => {
        const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
        const got = await send({
          verb: goodVerb(method),
          path: `/xrpc/${nsid}?${query}`,
          headers: { ...withAuth(header), ...type },
          body,
        })
        check(method, got)
      }),
      settings,
    )
  })

  test('responds to any verb, header and body', async () => {
    const verbs = fc.constantFrom(
      goodVerb(method),
      goodVerb(method),
      'GET',
      'HEAD',
      'POST',
      'PUT',
      'DELETE',
      'PATCH',
      'TRACE',
    )
    const types = fc.constantFrom(
      undefined,
      '',
      'application/json',
      'Application/JSON;charset=UTF-8',
      'text/plain',
      'multipart/form-data',
      ';;;',
      'a'.repeat(500),
    )
    const codings = fc.constantFrom(undefined, undefined, undefined, 'gzip', 'br', 'identity', 'x')
    const bodies = fc.oneof(fc.uint8Array({ maxLength: 300 }), garbage, fc.constant(undefined))
    await fc.assert(
      fc.asyncProperty(
        verbs,
        types,
        codings,
        bodies,
        fc.oneof(headers(method), oddHeaders(someToken)),
        async (verb, type, coding, body, header) => {
          const given = { 'content-type': type, 'content-encoding': coding }
          const sent = Object.entries(given).filter(
            (entry): entry is [string, string] => entry[1] !== undefined,
          )
          const got = await send({
            verb,
            path: `/xrpc/${nsid}`,
            headers: { ...withAuth(header), ...Object.fromEntries(sent) },
            body,
          })
          if (verb === goodVerb(method) || (verb === 'HEAD' && goodVerb(method) === 'GET')) check(method, got)
          else expect(got.status).toBe(400)
        },
      ),
      { ...settings, numRuns: Math.ceil(settings.numRuns / 3) },
    )
  })
})

test('the inspector lists the last of these requests, without credentials', async () => {
  const { status, body } = await server.get('com.core.admin.listRequests', {}, adminAuth)
  expect([status, body.requests.length]).toEqual([200, 500])
  const tokens = [session, refresh, ...others].map((header) => header.replace(/^\w+ /, ''))
  expect(tokens.filter((token) => JSON.stringify(body).includes(token))).toEqual([])
})

test('the server is healthy after the fuzzing', async () => {
  expect((await server.fetch('/xrpc/_health')).status).toBe(200)
  const account = await server.account('after')
  expect((await server.get('com.core.server.getSession', {}, account)).status).toBe(200)
  expect(({} as Record<string, unknown>).x).toBeUndefined()
})

function send({ verb, path, headers: given, body }: Sent): Promise<Got> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const signal = AbortSignal.timeout(timeoutMs)
    const options = {
      agent,
      signal,
      method: verb,
      path,
      port: server.running.port,
      headers: { ...given, ...length },
    }
    const call = request(options, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('error', reject)
      res.on('end', () =>
        resolve({ status: res.statusCode ?? 0, headers: res.headers, bytes: Buffer.concat(chunks) }),
      )
    })
    call.on('error', reject)
    call.end(body)
  })
}

/** Methods for the owner on the computer of the server: their answers may name the data folder. */
const showsFolder = new Set([
  'com.core.admin.getLog',
  'com.core.admin.getSettings',
  'com.core.admin.listBackups',
])

/** What a call with a DPoP token may get besides (RFC 9449). */
const dpopErrors = ['invalid_dpop_proof', 'use_dpop_nonce']

/** Signs of internals: stack traces, paths, SQL and runtime errors. */
const internals =
  /\n\s+at |node:|file:\/\/\/\w+\/|node_modules|\.[tj]s:\d|SQLITE|sqlite|SELECT |INSERT |UPDATE \w+ SET|DELETE FROM|constraint failed|E(NOENT|ACCES|ISDIR)|call stack|is not a function|Cannot (read|convert|destructure)|\[object |undefined \(reading/

function check({ nsid, schema }: Method, { status, headers: received, bytes }: Got): void {
  const text = bytes.toString()
  const context = `${nsid}: ${status} ${text.slice(0, 500)}`
  expect(text, context).not.toMatch(internals)
  if (status !== 200 || !showsFolder.has(nsid))
    expect(text.includes(server.config.dataDir), context).toBe(false)
  expect(received['access-control-allow-origin'], context).toBe('*')
  if (status !== 200) {
    expect([400, 401, 403, 413, 431], context).toContain(status)
    if (bytes.length === 0) return
    expect(received['content-type'], context).toBe('application/json; charset=utf-8')
    const { error, message, ...others } = JSON.parse(text)
    expect([typeof error, typeof (message ?? ''), others], context).toEqual(['string', 'string', {}])
    const declared = [...(schema.errors ?? []), ...Object.keys(protocolErrors), ...dpopErrors]
    expect(declared, context).toContain(error)
    return
  }
  const { encoding, schema: output } = schema.output
  if (encoding === undefined || bytes.length === 0) expect(bytes.length, context).toBe(0)
  else if (output && encoding === 'application/json') {
    const body = jsonToLex(JSON.parse(text))
    const result = (output as { safeParse(value: unknown): { success: boolean } }).safeParse(body)
    expect(result, context).toMatchObject({ success: true })
  }
}
