/** Servers that harm or deceive the one who measures them. */
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { encode } from '@atproto/lex-cbor'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { markdown } from '../../../../server/operation/conformance/formats.ts'
import { createHttp } from '../../../../server/operation/conformance/http.ts'
import { blockOf, rawCid } from '../../../../server/operation/conformance/repository.ts'
import { must, type Requirement } from '../../../../server/operation/conformance/requirement.ts'
import { requirements } from '../../../../server/operation/conformance/requirements.ts'
import { measure, type RunOptions } from '../../../../server/operation/conformance/runner.ts'
import { createTarget, isPublicDirectory } from '../../../../server/operation/conformance/target.ts'
import { preflight } from '../../../../server/testing/conformance/preflight.ts'
import { cidBytes, cidKey } from '../../../../server/util/cid.ts'
import { replaceDeadlines } from '../../../../server/util/deadlines.ts'
import { systemTimers } from '../../../../server/util/timers.ts'

const opened: Server[] = []
afterEach(() => {
  for (const server of opened.splice(0)) server.close().closeAllConnections()
})

interface Hostile {
  readonly url: string
  readonly server: Server
  /** Method and path of each request, with its authorization. */
  readonly asked: string[]
}

async function start(answer: RequestListener): Promise<Hostile> {
  const asked: string[] = []
  const server = createServer((req, res) => {
    asked.push([req.method, req.url, req.headers.authorization].filter(Boolean).join(' '))
    req.resume().on('end', () => answer(req, res))
  })
  opened.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, asked }
}

const json = (res: ServerResponse, value: unknown, status = 200) =>
  void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))

const methodOf = ({ url = '' }: IncomingMessage) => /\.(\w+)(?:\?|$)/.exec(url)?.[1] ?? ''

const chosen = (...ids: string[]) => requirements.filter(({ id }) => ids.includes(id))

async function measured(url: string, ids: readonly string[], options: Partial<RunOptions> = {}) {
  const report = await measure({ url, requirements: chosen(...ids), ...options })
  const [first] = report.results
  return { ...report, outcome: first?.outcome, reason: first?.reason }
}

const account = { identifier: 'eve.test', password: 'eve-password' }
const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const session = { did, handle: 'eve.test', accessJwt: 'a.b.c', refreshJwt: 'd.e.f' }
/** The name of an app password of a measurement. */
const made = 'conformance abcdefgh'
const uri = `at://${did}/example.desktop-pds.conformance/kept`

/** A server with the account. @param others answers the methods that the account does not need */
const withAccount = (others: (method: string) => unknown): RequestListener => {
  return (req, res) => {
    const method = methodOf(req)
    json(res, method === 'createSession' ? session : (others(method) ?? {}))
  }
}

describe('an answer', () => {
  test('that never ends is read up to a limit', async () => {
    let sent = 0
    const { url } = await start((_, res) => {
      res.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        while (!res.destroyed && res.write(' '.repeat(1_000_000))) sent++
        if (!res.destroyed) res.once('drain', more)
      }
      more()
    })
    const { outcome, reason } = await measured(url, ['xrpc.answer.type'])
    expect(outcome).toBe('failed')
    expect(reason).toContain('answered more than 8 MB')
    expect(sent).toBeLessThan(50)
  })

  test('that is small and becomes large is read up to a limit', async () => {
    const bomb = gzipSync(Buffer.alloc(100_000_000))
    const { url } = await start((_, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb)
    })
    expect(await measured(url, ['xrpc.answer.type'])).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('more than 8 MB'),
    })
  })

  test('of deep JSON fails', async () => {
    const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000)
    const { url } = await start((_, res) => {
      res.writeHead(400, { 'content-type': 'application/json' }).end(`{"error":${deep}}`)
    })
    expect(await measured(url, ['xrpc.error.shape'])).toMatchObject({ outcome: 'failed', hasFailed: true })
  })

  test('of a repository that is too large to be read is no failure', async () => {
    const archive = gzipSync(Buffer.alloc(65_000_000))
    const { url } = await start((req, res) => {
      if (methodOf(req) !== 'getRepo') return json(res, {})
      res.writeHead(200, { 'content-type': 'application/vnd.ipld.car', 'content-encoding': 'gzip' })
      res.end(archive)
    })
    const fetches: Requirement = must('repo.large', 'It is read', 'RFC 1 §1', async (target) => {
      await target.call('com.atproto.sync.getRepo')
    })
    const { results } = await measure({ url, requirements: [fetches] })
    expect(results).toMatchObject([{ outcome: 'skipped', reason: expect.stringContaining('64 MB') }])
  })
})

test('a server that closes a kept connection is asked again: that is no failure', async () => {
  const seen = new WeakSet<object>()
  const { url } = await start((req, res) => {
    if (seen.has(req.socket)) return void req.socket.resetAndDestroy()
    seen.add(req.socket)
    json(res, {})
  })
  const { results } = await measured(url, ['xrpc.answer.type', 'xrpc.params.unknown'])
  expect(results.map(({ outcome }) => outcome)).toEqual(['passed', 'passed'])
})

describe('text of the server', () => {
  const message = '\u001b]0;owned\u0007 a\n| b | `c` [d](https://e.example) ![f](g) <img> \u202edeed \\'

  test('reaches no terminal as control characters, and is one line', async () => {
    const { url } = await start((_, res) => json(res, { error: 'Odd', message }, 500))
    const { reason = '' } = await measured(url, ['xrpc.answer.type'])
    expect(reason).toContain('Odd: \ufffd]0;owned\ufffd a | b')
    expect(reason).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })

  test('is no markup in the Markdown report', async () => {
    const { url } = await start((_, res) => json(res, { error: 'Odd', message }, 500))
    const report = await measure({ url, requirements: chosen('xrpc.answer.type') })
    const row = markdown(report)
      .split('\n')
      .find((line) => line.startsWith('| xrpc'))
    expect(row).toContain('a \\| b \\| \\`c\\` \\[d\\](https://e.example) !\\[f\\](g) &lt;img>')
  })

  test('is shortened', async () => {
    const { url } = await start((_, res) => json(res, { did: `did:web:${'a '.repeat(1_000_000)}` }))
    expect((await measured(url, ['identity.server.did'])).reason?.length).toBeLessThan(2100)
  })
})

describe('a server that answers every call alike', () => {
  const metBy = async (status: number, body: object) => {
    const { url } = await start((_, res) => json(res, body, status))
    const { results } = await measure({ url, requirements })
    return results.filter(({ outcome }) => outcome === 'passed').map(({ id }) => id)
  }

  test.each([
    [400, 'InvalidRequest'],
    [401, 'AuthMissing'],
    [401, 'AuthenticationRequired'],
    [403, 'Forbidden'],
    [404, 'NotFound'],
    [429, 'RateLimitExceeded'],
    [500, 'InternalServerError'],
    [501, 'MethodNotImplemented'],
    [503, 'ServiceUnavailable'],
  ])('with %i %s meets nothing: its refusals prove nothing', async (status, error) => {
    expect(await metBy(status, { error, message: 'no' })).toEqual([])
  })

  test('with 200 meets what any answer meets', async () => {
    expect(await metBy(200, {})).toEqual(['xrpc.answer.type', 'xrpc.params.unknown'])
  })

  test('but one has the names of mistakes for none', async () => {
    const { url } = await start((req, res) =>
      methodOf(req) === 'describeServer'
        ? json(res, {})
        : json(res, { error: 'InvalidRequest', message: 'no' }, 400),
    )
    const ids = ['present', 'verb', 'required', 'types'].map((part) => `lexicon.sync.getRepo.${part}`)
    const { results } = await measured(url, ids)
    expect(results.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['skipped', 'an absent method gets the same answer'],
      ['skipped', 'GET gets the same answer without its members'],
      ['skipped', 'did: a right call gets the same answer'],
      ['skipped', 'did: a right call gets the same answer'],
    ])
  })
})

describe('a server that answers a sign-in', () => {
  const metBy = async (answer: (method: string) => [status: number, body: object]) => {
    const { url } = await start((req, res) => {
      const [status, body] = answer(methodOf(req))
      json(res, body, status)
    })
    const own = requirements.filter(({ id }) => /^(?:session|app-password|record|blob|oauth)\b/.test(id))
    const { results } = await measure({ url, account, requirements: own })
    return results.filter(({ outcome }) => outcome === 'passed').map(({ id }) => id)
  }

  test('without a session, and everything else with 200, meets nothing of accounts', async () => {
    expect(await metBy(() => [200, {}])).toEqual([])
  })

  test.each([
    [400, 'InvalidRequest'],
    [401, 'AuthMissing'],
  ])('and refuses everything else with %i: its refusals of mistakes prove nothing', async (status, error) => {
    const met = await metBy((method) =>
      method === 'createSession' ? [200, session] : [status, { error, message: 'no' }],
    )
    const any = ['session.create.output', 'session.create.did', 'oauth.token.scheme']
    expect(met.filter((id) => id !== 'blob.upload.credentials')).toEqual(any)
  })
})

describe('a server that repeats secrets in its errors', () => {
  const parrot: RequestListener = (req, res) => {
    if (methodOf(req) === 'describeServer') return json(res, {})
    json(res, { error: 'Odd', message: `${req.headers.authorization} ${account.password}"` }, 400)
  }

  test('brings no password and no token into the report', async () => {
    const { url } = await start((req, res) => {
      if (methodOf(req) !== 'createSession') return parrot(req, res)
      json(res, { ...session, accessJwt: 'access-token' })
    })
    const { reason } = await measured(url, ['session.get'], { account })
    expect(reason).toContain('answered 400 Odd: Bearer ••• •••", expected 200')
  })

  test('nor into the sentence before it', async () => {
    const { url } = await start(parrot)
    await expect(preflight({ url, account }, () => {})).rejects.toThrow('cannot sign in: undefined •••"')
  })
})

test.each([
  { what: 'an object with toString', value: '{"toString":1,"valueOf":1}' },
  { what: 'a deep list', value: `${'['.repeat(100_000)}${']'.repeat(100_000)}` },
])('$what in the place of text ends in a sentence', async ({ value }) => {
  const answers: Record<string, string> = {
    describeServer: '{}',
    createSession: JSON.stringify(session).replace('"a.b.c"', value),
    listRecords: `{"records":[{"value":{"createdAt":${value}}}]}`,
  }
  const { url } = await start((req, res) => {
    const body = answers[methodOf(req)] ?? '{}'
    res.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  await expect(preflight({ url, account }, () => {})).rejects.toMatchObject({ name: 'UsageError' })
  const refusing = await start((req, res) => {
    const isSignIn = methodOf(req) === 'createSession'
    res.writeHead(isSignIn ? 400 : 200, { 'content-type': 'application/json' })
    res.end(isSignIn ? `{"error":"Odd","message":${value}}` : '{}')
  })
  await expect(preflight({ url: refusing.url, account }, () => {})).rejects.toMatchObject({
    name: 'UsageError',
  })
})

describe('lists without an end', () => {
  test('a server that keeps what it says to have deleted: the run ends, and says so', async () => {
    const { url } = await start(withAccount((method) => method === 'listRecords' && { records: [{ uri }] }))
    const { leftovers } = await measured(url, ['record.delete.absent'], { account })
    expect(leftovers).toEqual(['the server refuses to delete 1 records of example.desktop-pds.conformance'])
  })

  test('empty pages with a cursor end', async () => {
    const { url } = await start(
      withAccount((method) => ({
        ...(method === 'listRecords' && { records: [], cursor: 'on' }),
        ...(method === 'createRecord' && { uri, cid: 'a' }),
      })),
    )
    expect(await measured(url, ['xrpc.pages'], { account })).toMatchObject({
      outcome: 'failed',
      reason: 'the pages do not end',
    })
  })

  test('events are kept up to a limit', async () => {
    const { url, server } = await start((_, res) => json(res, {}))
    const message = Buffer.concat([encode({ op: 1, t: '#identity' }), encode({ did, seq: 1 })])
    new WebSocketServer({ server }).on('connection', (socket) => {
      for (let count = 0; count < 25_000; count++) socket.send(message)
    })
    expect(await measured(url, ['stream.cursor.malformed'])).toMatchObject({
      outcome: 'skipped',
      reason: expect.stringContaining('more than 20000 messages'),
    })
  })

  test('values of events are counted before they are created: each takes many times its bytes', async () => {
    const { url, server } = await start((_, res) => json(res, {}))
    const header = encode({ op: 1, t: '#identity' })
    const message = Buffer.concat([header, Buffer.of(0x99, 0xc0, 0x00), Buffer.alloc(0xc000, 0xa0)])
    new WebSocketServer({ server }).on('connection', (socket) => {
      for (let count = 0; count < 50; count++) socket.send(message)
    })
    expect(await measured(url, ['stream.cursor.malformed'])).toMatchObject({
      outcome: 'skipped',
      reason: expect.stringContaining('2000000 values'),
    })
  })

  test('an event of too many values is no message', async () => {
    const { url, server } = await start((_, res) => json(res, {}))
    const message = Buffer.concat([encode({ op: 1 }), Buffer.of(0x9a, 0, 0x0f, 0, 0), Buffer.alloc(0xf0000)])
    new WebSocketServer({ server }).on('connection', (socket) => socket.send(message))
    expect(await measured(url, ['stream.cursor.malformed'])).toMatchObject({
      outcome: 'failed',
      reason: 'The message has too many parts',
    })
  })

  test('other records on each page: the run ends, and says so', async () => {
    let page = 0
    const { url } = await start(
      withAccount((method) => {
        if (method !== 'listRecords') return undefined
        page++
        return { records: Array.from({ length: 100 }, (_, index) => ({ uri: `${uri}-${page}-${index}` })) }
      }),
    )
    const { outcome } = await measured(url, ['record.delete.absent'], { account })
    expect({ outcome, page }).toEqual({ outcome: 'failed', page: 50 })
  })

  test('a page that is too long is no page', async () => {
    const { url } = await start(
      withAccount((method) => method === 'listRecords' && { records: Array(101).fill({ uri }) }),
    )
    const { reason } = await measured(url, ['record.delete.absent'], { account })
    expect(reason).toBe('a page of 100 has 101 records')
  })

  test('app passwords of checks are revoked up to a number', async () => {
    const { url, asked } = await start(
      withAccount(
        (method) => method === 'listAppPasswords' && { passwords: Array(101).fill({ name: made }) },
      ),
    )
    const { leftovers } = await measured(url, ['app-password.sign-in'], { account })
    expect(leftovers).toContain('the account has 101 app passwords of checks')
    expect(asked.filter((line) => line.includes('revokeAppPassword'))).toEqual([])
  })

  test('a block that is too large is not decoded', () => {
    const bytes = Buffer.alloc(1024 * 1024 + 1)
    const cid = Buffer.from(cidBytes(rawCid(bytes)))
    expect(() => blockOf(new Map([[cidKey(cid), { cid, bytes }]]), cid)).toThrow(/has more than 1 MiB/)
  })

  test('an event of deep DAG-CBOR is no message', async () => {
    const { url, server } = await start((_, res) => json(res, {}))
    const deep = Buffer.concat([encode({ op: 1, t: '#commit' }), Buffer.alloc(4_000_000, 0x81), Buffer.of(1)])
    new WebSocketServer({ server }).on('connection', (socket) => socket.send(deep))
    expect(await measured(url, ['stream.frames'])).toMatchObject({ outcome: 'failed', hasFailed: true })
  })
})

test('a measurement that lasts too long ends, and skips what is left with the reason', async () => {
  const { url, asked } = await start((_, res) => json(res, {}))
  let passed = 0
  const signal = (ms: number) => AbortSignal.timeout(ms)
  replaceDeadlines({ ...systemTimers, signal, elapsed: () => systemTimers.elapsed() + passed })
  try {
    const slow: Requirement = must('slow.answer', 'It answers', 'RFC 1 §1', async (target) => {
      passed += 31 * 60_000
      await target.send('/late')
    })
    const slowly = { url, requirements: [slow, ...chosen('xrpc.answer.type')] }
    const { results, ...end } = await measure(slowly)
    expect(end).toMatchObject({ ended: 'late', hasFailed: true })
    const over = { outcome: 'skipped', reason: 'the measurement ended after 30 minutes' }
    expect(results).toMatchObject([over, over])
    expect(asked).toEqual([])
  } finally {
    replaceDeadlines()
  }
})

describe('URLs that the server names', () => {
  test.each(['https://pds.example.com', 'http://192.0.2.1'])(
    'at private addresses are not called for %s',
    async (url) => {
      const inside = await start((_, res) => json(res, {}))
      const port = new URL(inside.url).port
      const named = [
        ...[inside.url, `http://localhost:${port}/a`, `https://127.1:${port}`, `http://[::1]:${port}`],
        ...['file:///etc/passwd', 'http://169.254.169.254/latest', 'http://192.168.0.1/', 'ftp://192.0.2.1/'],
      ]
      for (const target of named)
        await expect(createHttp(url).send(target, { form: { a: 'b' } })).rejects.toThrow(/is not sent: /)
      expect(inside.asked).toEqual([])
    },
  )

  test('get no credentials', async () => {
    const other = await start((_, res) => json(res, {}))
    const own = await start((_, res) => json(res, {}))
    const http = createHttp(own.url)
    await http.send(`${other.url}/token`, { token: 'secret' })
    await http.send(`${other.url}/admin`, { headers: { authorization: 'Basic secret' } })
    await http.send('/own', { token: 'secret' })
    expect(other.asked).toEqual(['GET /token', 'GET /admin'])
    expect(own.asked).toEqual(['GET /own Bearer secret'])
  })

  test('a redirect to another host is not followed', async () => {
    const other = await start((_, res) => json(res, {}))
    const own = await start((_, res) => void res.writeHead(307, { location: other.url }).end())
    await createHttp(own.url).send('/', { token: 'secret', input: { password: 'secret' } })
    expect(other.asked).toEqual([])
  })
})

describe('the end of a measurement', () => {
  test('names what the server refused to delete', async () => {
    const { url } = await start((req, res) => {
      if (methodOf(req) === 'createAppPassword') return json(res, { name: 'a', password: 'b' })
      if (methodOf(req) === 'createSession') return json(res, session)
      if (methodOf(req) === 'listAppPasswords') return json(res, { passwords: [{ name: made }] })
      json(res, { error: 'Refused' }, methodOf(req) === 'getSession' ? 200 : 500)
    })
    const { leftovers } = await measured(url, ['app-password.sign-in'], { account })
    expect(leftovers).toEqual([
      // The session of the app password, then that of the account.
      'POST /xrpc/com.atproto.server.deleteSession answered 500',
      'POST /xrpc/com.atproto.server.revokeAppPassword answered 500 Refused, expected 200',
      'POST /xrpc/com.atproto.server.deleteSession answered 500',
    ])
  })

  test('comes early when it is stopped, and deletes what was written', async () => {
    const stopping = new AbortController()
    const { url, asked } = await start(
      withAccount((method) => {
        if (method === 'getSession') stopping.abort()
        return method === 'listAppPasswords' ? { passwords: [{ name: made }] } : { name: made, password: 'b' }
      }),
    )
    const ids = ['app-password.sign-in', 'app-password.list', 'app-password.revoke']
    const { results, ended } = await measured(url, ids, { account, signal: stopping.signal })
    expect({ results, ended }).toEqual({ results: [], ended: 'interrupted' })
    expect(asked.slice(-2).map((line) => line.split(/[. ]/).at(4))).toEqual([
      'revokeAppPassword',
      'deleteSession',
    ])
  })

  test('deletes an account that should have been refused, and disables the invite codes', async () => {
    const { url, asked } = await start((req, res) =>
      json(res, {
        ...{ availableUserDomains: ['.test'], inviteCodeRequired: true, code: 'invite' },
        ...session,
        handle: methodOf(req),
      }),
    )
    const options = { creates: true, adminPassword: 'a', plcUrl: url }
    await measured(url, ['account.create.domain'], options)
    const called = asked.map((line) => /admin\.(\w+)/.exec(line)?.[1]).filter(Boolean)
    expect(called).toEqual(['deleteAccount', 'disableInviteCodes'])
  })

  test('revokes the app passwords that a server has created for wrong calls', async () => {
    const { url, asked } = await start(withAccount(() => ({ name: 'example', password: 'b' })))
    await measured(url, ['lexicon.server.createAppPassword.types'], { account })
    expect(asked.filter((line) => line.includes('revokeAppPassword'))).toHaveLength(1)
  })
})

test.each([
  'https://plc.directory/',
  'https://PLC.directory',
  'http://plc.directory:443',
  'https://plc.directory.',
])('%s is the public directory, which gets no identities of tests', async (plcUrl) => {
  expect(isPublicDirectory(plcUrl)).toBe(true)
  const { url, asked } = await start((_, res) => json(res, {}))
  const options = { plcUrl, creates: true, adminPassword: 'a', account }
  expect(await measured(url, ['account.create'], options)).toMatchObject({
    outcome: 'skipped',
    reason: 'it needs a directory for tests: --plc',
  })
  expect(asked).toEqual([])
  expect(createTarget({ url, plcUrl }).plcUrl).not.toMatch(/\/$/)
})
