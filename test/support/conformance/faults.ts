/** Faults of a server, with the requirements that each breaks. Every `must` and `should` is broken by one. */
import { type LexMap, parseCid } from '@atproto/lex-data'
import { carFile } from '../../../server/repository/format/car.ts'
import { type Archive, changeCommit, changed, changeTree, drop } from './archives.ts'
import type { EventMessage, Fault, Request, Response } from './fault-proxy.ts'

export interface BreakingFault extends Fault {
  /** Ids of requirements; a last `*` stands for any end. */
  readonly breaks: string
}

// biome-ignore lint/suspicious/noExplicitAny: each method has its own output
type Json = any

const otherCid = 'bafyreie5cvv4h45feadgeuwhbcutmh6t2ceseocckahdoe6uat64zmz454'

function setJson(response: Response, value: unknown): void {
  response.body = Buffer.from(JSON.stringify(value))
  response.headers['content-type'] = 'application/json'
}

/** Changes the output of a method, or of a path. */
function output(
  name: string,
  breaks: string,
  change: (json: Json, request: Request) => unknown,
): BreakingFault {
  return {
    name: `another output of ${name}`,
    breaks,
    onResponse(response, request) {
      if (request.name !== name && request.path !== name) return
      if (response.status !== 200) return
      const json = JSON.parse(response.body.toString())
      setJson(response, change(json, request) ?? json)
    },
  }
}

/** Refuses what a server must accept. */
function refused(breaks: string, isRefused: (request: Request) => boolean): BreakingFault {
  return {
    name: `refusal for ${breaks}`,
    breaks,
    onResponse(response, request) {
      if (!isRefused(request)) return
      response.status = 400
      setJson(response, { error: 'InvalidRequest' })
    },
  }
}

function header(name: string, breaks: string, value?: string, isOf = (_: Request) => true): BreakingFault {
  return {
    name: value === undefined ? `no ${name}` : `${name}: ${value}`,
    breaks,
    onResponse({ headers }, request) {
      if (!isOf(request)) return
      delete headers[name]
      if (value !== undefined) headers[name] = value
    },
  }
}

function archive(
  method: string,
  breaks: string,
  change: (archive: Archive, request: Request) => void,
): BreakingFault {
  return {
    name: `another archive of ${method} for ${breaks}`,
    breaks,
    async onResponse(response, request) {
      if (request.name === method && response.status === 200)
        response.body = await changed(response.body, (found) => change(found, request))
    },
  }
}

function event(name: string, breaks: string, onMessage: BreakingFault['onMessage']): BreakingFault {
  return { name, breaks, ...(onMessage && { onMessage }) }
}

/** Changes all commits of the event stream. */
function commits(name: string, breaks: string, change: (body: Json) => unknown): BreakingFault {
  return event(name, breaks, async ({ header, body }) => {
    if (header.t === '#commit') await change(body)
  })
}

const carOf = async (body: Json, change: (archive: Archive) => void) => {
  body.blocks = new Uint8Array(await changed(body.blocks, change))
}

const isNode = (value: LexMap) => 'e' in value && 'l' in value
const isRecord = (value: LexMap) => '$type' in value

/** Every error of the server is a success. */
const lenient: BreakingFault = {
  name: 'mistakes succeed',
  breaks: [
    ...['lexicon.*.verb', 'lexicon.*.credentials', 'lexicon.*.required', 'lexicon.*.types'],
    ...['xrpc.error.shape', 'xrpc.error.message', 'xrpc.method.absent', 'xrpc.path.invalid', 'xrpc.body.*'],
    ...['xrpc.token.malformed', 'xrpc.token.altered', 'xrpc.admin.password'],
    ...['identity.handle.absent', 'identity.repo.absent'],
    ...['session.create.password', 'session.create.absent', 'session.token.access', 'session.token.refresh'],
    ...['session.delete', 'session.service.expiry'],
    ...['app-password.name', 'app-password.limits.*', 'app-password.revoke'],
    ...['record.create.exists', 'record.create.type', 'record.create.keys', 'record.create.other'],
    ...[
      'record.create.float',
      'record.get.absent',
      'record.get.cid',
      'record.put.swap',
      'record.commit.swap',
    ],
    ...['record.delete', 'record.batch.atomic', 'record.batch.limit'],
    ...['repo.absent.*', 'blob.upload.credentials', 'blob.temporary', 'blob.absent', 'blob.reference.absent'],
    ...[
      'stream.http.upgrade',
      'stream.http.verb',
      'vectors.*.invalid',
      'oauth.token.scheme',
      'oauth.token.bearer',
    ],
    ...['account.create.taken', 'account.create.domain', 'account.create.handle', 'account.mail.wrong'],
    ...['account.mail.reset', 'account.mail.update', 'account.mail.delete'],
    ...['move.in.proof', 'move.in.proof.key', 'move.in.operation'],
    ...['move.out.code.*', 'move.out.writes', 'move.out.return'],
    ...['oauth.token.proof', 'oauth.token.key', 'oauth.token.hash', 'oauth.token.scope'],
  ].join(' '),
  onResponse(response, { path }) {
    if (!path.startsWith('/xrpc/') || response.status < 400) return
    response.status = 200
    setJson(response, {})
  },
}

const withoutMethods: BreakingFault = {
  name: 'no methods',
  breaks: 'lexicon.*.present',
  onResponse(response) {
    response.status = 501
    setJson(response, { error: 'MethodNotImplemented' })
  },
}

/** Outputs whose members have another type, except for those that the measurement itself needs. */
const otherTypes: BreakingFault = {
  name: 'outputs of other types',
  breaks: 'lexicon.*.output',
  onResponse(response, { name }) {
    if (response.status !== 200 || name === 'server.createSession' || name === '') return
    const json = JSON.parse(response.body.toString() || '{}')
    const others = Object.keys(json).map((member) => [member, 12])
    setJson(
      response,
      name === 'repo.describeRepo' ? { ...json, collections: 12 } : Object.fromEntries(others),
    )
  },
}

const forgetsDeletions: BreakingFault = {
  name: 'deletions are forgotten',
  breaks: 'record.delete repo.deleted blob.deleted',
  onRequest: ({ name }) => name === 'repo.deleteRecord',
}

let firstAppPassword = ''
let firstRev = ''

const atproto: readonly BreakingFault[] = [
  lenient,
  withoutMethods,
  otherTypes,
  header('content-type', 'xrpc.answer.type', 'text/plain', ({ name }) => name === 'server.describeServer'),
  refused('xrpc.params.unknown', ({ query }) => query.has('unknown')),
  header('www-authenticate', 'xrpc.token.challenge'),
  output('repo.listRecords', 'xrpc.pages', ({ records }) => ({ records })),
]

const identity: readonly BreakingFault[] = [
  output('server.describeServer', 'identity.server.did', (json) => {
    json.did = 'localhost'
  }),
  output('repo.describeRepo', 'identity.document.endpoint', ({ didDoc }) => {
    didDoc.service[0].serviceEndpoint = 'https://other.example.com'
  }),
  {
    name: 'another document in the directory',
    breaks:
      'identity.document.directory move.in.identity move.in.signature move.out.identity move.out.deletion',
    onResponse(response, { path, method }) {
      if (method !== 'GET' || !/^\/did(?::|%3A)/i.test(path)) return
      const document = JSON.parse(response.body.toString())
      setJson(response, { ...document, verificationMethod: [], service: [] })
    },
  },
  output('repo.describeRepo', 'identity.handle.document', (json) => {
    json.handle = 'other.test'
  }),
  output('identity.resolveHandle', 'identity.handle.resolve', () => ({ did: 'did:web:other.test' })),
  refused('identity.handle.case', ({ query }) => /[A-Z]/.test(query.get('handle') ?? '')),
  refused(
    'identity.repo.handle',
    ({ name, query }) => name === 'repo.describeRepo' && /^[a-z.]+$/.test(query.get('repo') ?? ''),
  ),
]

const isAppSession = ({ name, json }: Request) =>
  name === 'server.createSession' && /^\w{4}-/.test(json?.password ?? '')

function changeToken(token: string, change: (claims: Json) => void, part = 1): string {
  const parts = token.split('.')
  const claims = JSON.parse(Buffer.from(parts[part] ?? '', 'base64url').toString())
  change(claims)
  return parts.with(part, Buffer.from(JSON.stringify(claims)).toString('base64url')).join('.')
}

const sessions: readonly BreakingFault[] = [
  output('server.createSession', 'session.create.output', (json) => {
    json.refreshJwt = json.accessJwt
  }),
  refused(
    'session.create.did',
    ({ name, json }) => name === 'server.createSession' && /^did:/.test(json?.identifier),
  ),
  output('server.getSession', 'session.get', (json) => {
    json.did = 'did:web:other.test'
  }),
  output('server.createSession', 'session.token.types', (json) => {
    json.accessJwt = changeToken(
      json.accessJwt,
      (head) => {
        head.typ = 'JWT'
      },
      0,
    )
  }),
  output('server.refreshSession', 'session.refresh', (json, { headers }) => {
    json.refreshJwt = headers.authorization?.slice('Bearer '.length)
  }),
  output('server.getServiceAuth', 'session.service.claims session.service.signature', (json) => {
    json.token = changeToken(json.token, (claims) => {
      claims.lxm = 'com.atproto.sync.getRepo'
    })
  }),
  output('server.getServiceAuth', 'session.service.lifetime', (json) => {
    json.token = changeToken(json.token, (claims) => {
      claims.exp += 100_000
    })
  }),
]

const appPasswords: readonly BreakingFault[] = [
  refused('app-password.sign-in', isAppSession),
  output('server.createAppPassword', 'app-password.form', (json) => {
    json.password = json.password.toUpperCase()
  }),
  {
    name: 'app passwords are shown again',
    breaks: 'app-password.list',
    onResponse(response, { name }) {
      const json =
        response.status === 200 &&
        name.includes('AppPassword') &&
        JSON.parse(response.body.toString() || '{}')
      if (json && name === 'server.createAppPassword') firstAppPassword = json.password
      if (json && name === 'server.listAppPasswords')
        setJson(response, { ...json, password: firstAppPassword })
    },
  },
]

const records: readonly BreakingFault[] = [
  {
    name: 'keys that are no TIDs',
    breaks: 'record.create.key',
    onRequest({ name, json }) {
      if (name === 'repo.createRecord') json.rkey ??= 'a-fixed-key'
    },
  },
  output('repo.createRecord', 'record.create.cid vectors.data.valid', (json) => {
    json.cid = otherCid
  }),
  output('repo.createRecord', 'record.create.uri', (json) => {
    json.uri = json.uri.replace('conformance', 'other')
  }),
  output('repo.createRecord', 'record.create.commit', ({ commit: _, ...rest }) => rest),
  output('repo.getRecord', 'record.get', ({ value }) => {
    value.text = 'another text'
  }),
  output('repo.putRecord', 'record.put', (json) => {
    json.cid = otherCid
  }),
  forgetsDeletions,
  refused('record.delete.absent', ({ name }) => name === 'repo.deleteRecord'),
  {
    name: 'records in one order alone',
    breaks: 'record.list',
    onRequest: ({ query }) => query.delete('reverse'),
  },
  output('repo.describeRepo', 'record.describe', (json) => {
    json.collections = []
  }),
]

const repositories: readonly BreakingFault[] = [
  archive('sync.getRepo', 'repo.car.root', (car) =>
    changeCommit(car, (commit) => ({ ...commit, version: 2 })),
  ),
  header('content-type', 'repo.car.type', 'application/octet-stream', ({ name }) => name === 'sync.getRepo'),
  archive('sync.getRepo', 'repo.car.complete repo.car.since', (car) => drop(car, isRecord)),
  archive('sync.getRepo', 'repo.commit.signature repo.commit.latest', (car) =>
    changeCommit(car, (commit) => ({ ...commit, rev: '3aaaaaaaaaa2z' })),
  ),
  archive('sync.getRepo', 'repo.commit.prev', (car) => changeCommit(car, ({ prev: _, ...commit }) => commit)),
  archive('sync.getRepo', 'repo.commit.rev', (car) =>
    changeCommit(car, (commit) => ({ ...commit, rev: 'first' })),
  ),
  commits('a revision that goes back', 'repo.commit.rev-monotonic', (body) => {
    body.rev = '3aaaaaaaaaa2z'
  }),
  archive('sync.getRepo', 'repo.tree.valid', (car) =>
    changeTree(car, (node) => ({ ...node, e: [...(node.e as LexMap[]), ...(node.e as LexMap[])] })),
  ),
  archive('sync.getRepo', 'repo.tree.paths', (car) =>
    changeTree(car, (node) => {
      const k = new Uint8Array(Buffer.from('no-path'))
      return { ...node, l: null, e: [{ k, p: 0, t: null, v: parseCid(otherCid) }] }
    }),
  ),
  archive('sync.getRecord', 'repo.proof.record repo.proof.absence', (car) => drop(car, isNode)),
  {
    name: 'no blocks',
    breaks: 'repo.blocks',
    onResponse(response, { name }) {
      if (name === 'sync.getBlocks') response.body = Buffer.from(carFile(undefined, []))
    },
  },
]

const isBlob = ({ name }: Request) => name === 'sync.getBlob'
let uploaded = ''

const media: readonly BreakingFault[] = [
  output('repo.uploadBlob', 'blob.upload', ({ blob }) => {
    blob.size += 1
  }),
  {
    name: 'temporary media in lists',
    breaks: 'blob.temporary.list',
    onResponse(response, { name }) {
      const json =
        name === 'repo.uploadBlob' || name === 'sync.listBlobs' ? JSON.parse(response.body.toString()) : {}
      if (json.blob) uploaded = json.blob.ref.$link
      if (json.cids) setJson(response, { ...json, cids: [...json.cids, uploaded] })
    },
  },
  {
    name: 'other bytes',
    breaks: 'blob.download move.in.repository',
    onResponse(response, request) {
      if (isBlob(request)) response.body[0] = 0
    },
  },
  header('content-type', 'blob.download.type', 'application/octet-stream', isBlob),
  header('content-security-policy', 'blob.download.policy', undefined, isBlob),
  header('x-content-type-options', 'blob.download.nosniff', undefined, isBlob),
  output('sync.listBlobs', 'blob.list', () => ({ cids: [] })),
]

const syncFaults: readonly BreakingFault[] = [
  output('sync.listRepos', 'sync.repos.listed', ({ repos }) => {
    for (const repo of repos) repo.rev = '3aaaaaaaaaa2z'
  }),
  {
    name: 'the first page again',
    breaks: 'sync.repos.pages',
    onRequest: ({ query }) => query.delete('cursor'),
  },
  output('sync.getRepoStatus', 'sync.status.active', (json) => {
    json.active = false
  }),
]

const streamFaults: readonly BreakingFault[] = [
  { name: 'a stream for accounts', breaks: 'stream.open', refuses: true },
  event('a $type', 'stream.frames', ({ body }) => {
    body.$type = 'com.atproto.sync.subscribeRepos#commit'
  }),
  event('numbers that go back', 'stream.seq', ({ body }, index) => {
    body.seq = 1000 - index
  }),
  event('no datetime', 'stream.common', ({ body }) => {
    body.time = 'yesterday'
  }),
  event('a status without active', 'stream.account', ({ header, body }) => {
    if (header.t === '#account') delete body.active
  }),
  commits('a commit that is too big', 'stream.commit.fields', (body) => {
    body.tooBig = true
  }),
  commits('another commit', 'stream.commit.root', (body) => {
    body.commit = parseCid(otherCid)
  }),
  commits('another signature', 'stream.commit.signature', (body) =>
    carOf(body, (car) => changeCommit(car, (commit) => ({ ...commit, sig: new Uint8Array(64).fill(1) }))),
  ),
  commits('no records', 'stream.commit.records', (body) => carOf(body, (car) => drop(car, isRecord))),
  commits('another tree before', 'stream.commit.prev-data', (body) => {
    body.prevData = parseCid(otherCid)
  }),
  commits('no bordering nodes', 'stream.commit.prev-data vectors.proof.*', (body) =>
    carOf(body, (car) => drop(car, isNode)),
  ),
  commits('many operations', 'stream.commit.limits', (body) => {
    body.ops = Array.from({ length: 201 }, () => body.ops[0])
  }),
  commits('operations without the record before', 'stream.write.ops', (body) => {
    for (const op of body.ops) delete op.prev
  }),
  commits('another revision before', 'stream.write.chain', (body) => {
    body.since = '3aaaaaaaaaa2z'
  }),
  event('a replay with other times', 'stream.replay.same', ({ body }, _, query) => {
    if (query.has('cursor')) body.time = '2020-01-01T00:00:00.000Z'
  }),
  event('a replay without a commit', 'stream.replay.live', ({ body }, _, query) => {
    firstRev = query.has('cursor') ? firstRev || body.rev : ''
    if (query.has('cursor') && body.rev !== firstRev) body.rev = firstRev
  }),
  {
    name: 'a replay for each connection',
    breaks: 'stream.cursor.none',
    onConnect: (query) => query.set('cursor', '0'),
  },
  {
    name: 'cursors without a meaning',
    breaks: 'stream.cursor.future stream.cursor.malformed',
    onConnect: (query) => query.delete('cursor'),
  },
  {
    name: 'another name of an outdated cursor',
    breaks: 'stream.cursor.outdated',
    first: { header: { op: 1, t: '#info' }, body: { name: 'Old' } },
  } satisfies BreakingFault & { first: EventMessage },
]

/** Refuses values that the vectors call valid. */
const vectors: readonly BreakingFault[] = [
  refused(
    'vectors.did.valid',
    ({ name, query }) => name === 'sync.getRepoStatus' && !query.get('did')?.startsWith('did:plc:'),
  ),
  refused(
    'vectors.nsid.valid',
    ({ name, query }) => name === 'repo.listRecords' && /\.\d/.test(query.get('collection') ?? ''),
  ),
  refused('vectors.record-key.valid', ({ name, json }) => name === 'repo.createRecord' && json?.rkey === '~'),
  refused('vectors.tid.valid', ({ name, query }) => name === 'sync.listBlobs' && query.has('since')),
  refused('vectors.at-uri.valid', ({ name }) => name === 'admin.getSubjectStatus'),
  archive('sync.getRecord', 'vectors.data.encoded', (car) => drop(car, isRecord)),
  archive('sync.getRepo', 'vectors.signature.low-s', (car) =>
    changeCommit(car, (commit) => ({ ...commit, sig: new Uint8Array(64).fill(255) })),
  ),
]

const cors = header('access-control-allow-origin', 'cors.* oauth.cors oauth.cors.par')

const issuer = '/.well-known/oauth-authorization-server'
const resource = '/.well-known/oauth-protected-resource'

/** Changes the error of an endpoint. */
const oauthError = (path: string, breaks: string, error: string): BreakingFault => ({
  name: `the error ${error} of ${path}`,
  breaks,
  onResponse(response, request) {
    if (request.path.startsWith(path) && response.status >= 400) setJson(response, { error })
  },
})

const oauth: readonly BreakingFault[] = [
  output(
    resource,
    'oauth.resource',
    (json) => void json.authorization_servers.push('https://other.example.com'),
  ),
  output(resource, 'oauth.resource.url', (json) => {
    json.resource = 'https://other.example.com'
  }),
  output(issuer, 'oauth.issuer', (json) => {
    json.issuer = 'https://other.example.com'
  }),
  output(issuer, 'oauth.issuer.endpoints', (json) => void delete json.token_endpoint),
  output(issuer, 'oauth.issuer.lists', (json) => {
    json.scopes_supported = []
  }),
  output(issuer, 'oauth.issuer.flags', (json) => {
    json.require_pushed_authorization_requests = false
  }),
  oauthError('/oauth/par', 'oauth.par.dpop-nonce', 'invalid_dpop_proof'),
  {
    name: 'pushed requests always succeed',
    breaks:
      'oauth.par.dpop-nonce oauth.par.dpop-wrong oauth.par.pkce* oauth.par.redirect oauth.par.scope oauth.par.response oauth.par.client',
    onResponse(response, { path, method }) {
      if (path !== '/oauth/par' || method !== 'POST') return
      response.status = 201
      setJson(response, { request_uri: 'urn:ietf:params:oauth:request_uri:a', expires_in: 60 })
    },
  },
  {
    name: 'pushed requests without a URI',
    breaks: 'oauth.par.dpop',
    onResponse(response, { path }) {
      if (path === '/oauth/par' && response.status === 201) setJson(response, { expires_in: 60 })
    },
  },
  oauthError('/oauth/token', 'oauth.token.code oauth.token.refresh', 'server_error'),
  output('/xrpc/com.core.oauth.decideRequest', 'oauth.consent.answer', (json) => {
    json.location = json.location.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fother.example.com')
  }),
  output('/xrpc/com.core.oauth.decideRequest', 'oauth.consent.denied', (json) => {
    json.location = json.location.replace('error=access_denied', 'code=a-code')
  }),
  {
    name: 'requests that never end',
    breaks: 'oauth.consent.once',
    onResponse(response, { path }) {
      if (path === '/oauth/authorize') {
        response.status = 303
        response.headers.location = '/#/authorize/a'
      }
      if (!path.endsWith('decideRequest')) return
      response.status = 200
      setJson(response, { location: 'http://127.0.0.1/callback?code=a' })
    },
  },
  output('/oauth/token', 'oauth.code.tokens', (json) => {
    json.token_type = 'Bearer'
  }),
  {
    name: 'grants always succeed',
    breaks: 'oauth.code.once oauth.code.verifier oauth.code.redirect oauth.code.key oauth.revoke',
    onResponse(response, { path }) {
      if (path !== '/oauth/token' || response.status < 400) return
      if (JSON.parse(response.body.toString()).error === 'use_dpop_nonce') return
      response.status = 200
      setJson(response, { access_token: 'a', refresh_token: 'b' })
    },
  },
  output('/oauth/token', 'oauth.refresh', (json) => {
    json.refresh_token = 'the same'
  }),
  refused('oauth.token.use', ({ name, headers }) => name === 'server.getSession' && 'dpop' in headers),
]

const accounts: readonly BreakingFault[] = [
  output('server.createAccount', 'account.create', (json) => {
    json.did = 'did:example:other'
  }),
  output('sync.getRepoStatus', 'account.deactivate', (json) => {
    json.active = true
  }),
  event('no #account', 'account.activate move.in.events', ({ header }) => {
    if (header.t === '#account') header.t = '#other'
  }),
  output('server.getSession', 'account.mail.confirm', (json) => {
    json.emailConfirmed = false
  }),
  output('server.checkAccountStatus', 'move.in.inactive', (json) => {
    json.activated = true
  }),
  output('repo.listMissingBlobs', 'move.in.media', () => ({ blobs: [] })),
  output('server.getServiceAuth', 'move.out.proof', () => ({ token: '.e30.' })),
]

export const faults: readonly BreakingFault[] = [
  ...[
    atproto,
    identity,
    sessions,
    appPasswords,
    records,
    repositories,
    media,
    syncFaults,
    streamFaults,
    vectors,
  ].flat(),
  cors,
  ...oauth,
  ...accounts,
]
