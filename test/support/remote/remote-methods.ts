/** The methods of a scripted server of the network for other servers. */
import type { ServerResponse } from 'node:http'
import { lexToJson } from '@atproto/lex-json'
import { documentOf } from '../accounts/plc.ts'
import type { RemoteAccount, RemoteServer } from './remote-server.ts'

type Params = Readonly<Record<string, string>>

/** JSON, or bytes with their type. */
type Answer = object | { readonly bytes: Uint8Array; readonly type: string }

class Refused extends Error {
  readonly status: number
  readonly error: string

  constructor(status: number, error: string) {
    super(error)
    this.status = status
    this.error = error
  }
}

/** Answers a request by the server's accounts. */
export async function respond(server: RemoteServer, url: URL, res: ServerResponse): Promise<void> {
  try {
    const answer = await answerOf(server, url)
    if ('bytes' in answer) res.writeHead(200, { 'content-type': answer.type }).end(answer.bytes)
    else send(res, 200, answer)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    send(res, error.status, { error: error.error, message: error.message })
  }
}

async function answerOf(server: RemoteServer, url: URL): Promise<Answer> {
  const path = decodeURIComponent(url.pathname)
  const [, nsid = ''] = /^\/xrpc\/com\.(?:atproto|core)\.(.+)/.exec(path) ?? []
  const method = methods[nsid]
  if (method) return method(server, Object.fromEntries(url.searchParams))
  const [, did = '', rest] = path.split('/')
  const account = server.accounts.get(did)
  if (!account) throw new Refused(nsid ? 501 : 404, nsid ? 'MethodNotImplemented' : 'NotFound')
  return rest === 'log' ? account.operations : documentOf(did, lastOf(account))
}

const methods: Record<string, (server: RemoteServer, params: Params) => Answer | Promise<Answer>> = {
  'server.describeServer': ({ did }) => ({ did, availableUserDomains: ['.test'], inviteCodeRequired: false }),
  'identity.resolveHandle': ({ accounts }, { handle }) => {
    const found = [...accounts.values()].find((account) => account.handle === handle)
    if (!found) throw new Refused(400, 'HandleNotFound')
    return { did: found.did }
  },
  'sync.getRepo': async (server, params) => car(await active(server, params).repository.archive()),
  'sync.getRecord': async (server, params) =>
    car(await active(server, params).repository.proof(`${params.collection}/${params.rkey}`)),
  'sync.getLatestCommit': (server, params) => {
    const { head } = active(server, params).repository
    return { cid: String(head?.cid), rev: head?.rev }
  },
  'sync.getRepoStatus': (server, params) => statusOf(existing(server, params)),
  'sync.listRepos': ({ accounts }) => ({
    repos: [...accounts.values()].map((account) => ({
      head: String(account.repository.head?.cid),
      ...statusOf(account),
      rev: account.repository.head?.rev,
    })),
  }),
  'sync.getBlob': (server, params) => {
    const blob = active(server, params).blobs.get(params.cid ?? '')
    if (!blob) throw new Refused(400, 'BlobNotFound')
    return { bytes: blob.bytes, type: blob.mimeType }
  },
  'repo.getRecord': (server, params) => {
    const { did, repository } = active(server, { did: params.repo ?? '' })
    const key = `${params.collection}/${params.rkey}`
    const record = repository.records.get(key)
    if (!record) throw new Refused(400, 'RecordNotFound')
    return {
      uri: `at://${did}/${key}`,
      cid: String(record.cid),
      value: lexToJson(record.value),
    }
  },
  'repo.listRecords': (server, params) => {
    const { did, repository } = active(server, { did: params.repo ?? '' })
    const keys = [...repository.records].filter(([key]) => key.startsWith(`${params.collection}/`))
    const records = keys
      .sort(([a], [b]) => (a < b ? 1 : -1))
      .slice(0, Number(params.limit ?? 50))
      .map(([key, { cid, value }]) => ({
        uri: `at://${did}/${key}`,
        cid: String(cid),
        value: lexToJson(value),
      }))
    return { records }
  },
}

function existing({ accounts }: RemoteServer, { did = '' }: Params): RemoteAccount {
  const account = accounts.get(did)
  if (!account) throw new Refused(400, 'RepoNotFound')
  return account
}

const refusals: Readonly<Record<string, string>> = {
  deactivated: 'RepoDeactivated',
  suspended: 'RepoSuspended',
  takendown: 'RepoTakendown',
}

function active(server: RemoteServer, params: Params): RemoteAccount {
  const account = existing(server, params)
  if (account.status) throw new Refused(400, refusals[account.status] ?? 'RepoNotFound')
  return account
}

function statusOf({ did, status, repository: { head } }: RemoteAccount) {
  return status ? { did, active: false, status } : { did, active: true, rev: head?.rev }
}

function lastOf({ operations, identity }: RemoteAccount) {
  return operations.at(-1) ?? identity.genesis
}

function car(bytes: Uint8Array) {
  return { bytes, type: 'application/vnd.ipld.car' }
}

function send(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
