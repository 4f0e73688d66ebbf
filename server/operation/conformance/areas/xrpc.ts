/** The protocol of all methods: errors, bodies, tokens. */
import { accountOf, newRecord, provenOf, writerOf } from '../account.ts'
import { errorOf, expectError, expectStatus, mediaTypeOf, outputOf, refusals } from '../answers.ts'
import { expectUnlimited } from '../http.ts'
import { info, must, type Requirement, should } from '../requirement.ts'
import { lexicon, reference, spec } from '../sources.ts'
import { expect, expectSame } from '../verdict.ts'

const errors = spec('xrpc', 'Error Responses')
const statuses = spec('xrpc', 'Summary of HTTP Status Codes')
const describeServer = 'com.atproto.server.describeServer'
const createSession = 'com.atproto.server.createSession'

export const xrpc: readonly Requirement[] = [
  must(
    'xrpc.answer.type',
    'Outputs of JSON have the content type application/json',
    statuses,
    async ({ call }) => {
      const answer = await call(describeServer)
      expectStatus(answer, 200)
      expectSame(mediaTypeOf(answer), 'application/json', 'the content type')
    },
  ),
  must(
    'xrpc.error.shape',
    'An error is a JSON object with the name of the error',
    errors,
    async ({ call }) => {
      expectError(await call('com.atproto.sync.getRepo'), [400])
    },
  ),
  should('xrpc.error.message', 'An error has a message for people', errors, async ({ call }) => {
    const { json } = await call('com.atproto.sync.getRepo')
    expect(typeof json?.message === 'string' && json.message !== '', 'the error has no message')
  }),
  should(
    'xrpc.method.absent',
    'An unknown method is answered 501 or 404, as an error',
    statuses,
    async ({ send }) => {
      const answer = await send('/xrpc/com.example.absent.getNothing')
      expectUnlimited(answer)
      expectError(answer, [501, 404])
    },
  ),
  must(
    'xrpc.path.invalid',
    'A path that is no NSID is refused',
    spec('xrpc', 'Lexicon HTTP Endpoints'),
    async ({ send }) => {
      const answer = await send('/xrpc/not-an-nsid')
      expectUnlimited(answer)
      expectStatus(answer, ...refusals, 501)
    },
  ),
  should(
    'xrpc.params.unknown',
    'Unknown parameters are ignored',
    reference('xrpc-server, request validation'),
    async ({ call }) => {
      outputOf(await call(describeServer, { query: { unknown: 'value' } }))
    },
  ),
  must('xrpc.body.malformed', 'A body that is not JSON is answered 400', statuses, async ({ call }) => {
    expectError(await call(createSession, { body: '{"identifier":' }), [400])
  }),
  must(
    'xrpc.body.type',
    'A JSON body of another content type is refused',
    lexicon(createSession),
    async ({ call }) => {
      const headers = { 'content-type': 'text/plain' }
      expectStatus(
        await call(createSession, { body: '{"identifier":"a.test","password":"b"}', headers }),
        400,
        415,
      )
    },
  ),
  must('xrpc.body.missing', 'A missing body is InvalidRequest', lexicon(createSession), async ({ call }) => {
    expectError(await call(createSession, { method: 'POST' }), [400], ['InvalidRequest'])
  }),
  should('xrpc.body.too-large', 'A JSON body of 5 MB is answered 413', statuses, async ({ call }) => {
    const input = { identifier: 'a.test', password: 'x'.repeat(5_000_000) }
    expectStatus(await call(createSession, { input }), 413)
  }),
  must(
    'xrpc.token.malformed',
    'A token that is none is refused',
    spec('xrpc', 'Authentication'),
    async ({ call }) => {
      const answer = await call('com.atproto.server.getSession', { token: 'not-a-token' })
      expectError(answer, [400, 401])
    },
  ),
  must(
    'xrpc.token.altered',
    'A token with another signature is refused',
    spec('xrpc', 'Authentication'),
    async (target) => {
      const { accessJwt } = await provenOf(target)
      const [head, payload, signature = ''] = accessJwt.split('.')
      const altered = `${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
      expectError(await target.call('com.atproto.server.getSession', { token: altered }), [400, 401])
    },
  ),
  should('xrpc.token.challenge', 'An answer 401 has WWW-Authenticate', statuses, async ({ call }) => {
    const answer = await call('com.atproto.server.getSession')
    expectStatus(answer, 401)
    expect(answer.headers.has('www-authenticate'), 'the header is absent')
  }),
  info(
    'xrpc.admin.account',
    'A session of an account is no administrator',
    spec('xrpc', 'Admin Token (Temporary Specification)'),
    async (target) => {
      const { accessJwt, did } = await accountOf(target)
      const query = { did }
      const answer = await target.call('com.atproto.admin.getAccountInfo', { query, token: accessJwt })
      expect(refusals.includes(answer.status), `${answer.asked} answered ${answer.status}${errorOf(answer)}`)
    },
  ),
  must(
    'xrpc.admin.password',
    'A wrong password of the administrator is refused',
    spec('xrpc', 'Admin Token (Temporary Specification)'),
    async ({ call }) => {
      const authorization = `Basic ${Buffer.from('admin:wrong password').toString('base64')}`
      const query = { did: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa' }
      expectError(
        await call('com.atproto.admin.getAccountInfo', { query, headers: { authorization } }),
        [401, 403],
      )
    },
  ),
  must(
    'xrpc.pages',
    'The cursor of a page leads to the next one, until there is none',
    spec('xrpc', 'Cursors and Pagination'),
    async (target) => {
      const writer = await writerOf(target)
      const { did } = writer.account
      const made = [await writer.create(), await writer.create(newRecord()), await writer.create(newRecord())]
      const seen: string[] = []
      let cursor: string | undefined
      let pages = 0
      do {
        const query = {
          repo: did,
          collection: 'example.desktop-pds.conformance',
          limit: '2',
          ...(cursor && { cursor }),
        }
        const page = outputOf(await target.call('com.atproto.repo.listRecords', { query }))
        expect(page.records.length <= 2, `a page of 2 has ${page.records.length} records`)
        seen.push(...page.records.map(({ uri }: { uri: string }) => uri))
        cursor = page.cursor
        expect(++pages < 100, 'the pages do not end')
      } while (cursor)
      expectSame(seen.length, new Set(seen).size, 'the number of different records')
      for (const { uri } of made) expect(seen.includes(uri), `${uri} is on no page`)
    },
  ),
]
