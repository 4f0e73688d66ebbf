/** The paths of plc.directory. Errors have a `message`. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { InvalidPlcOperation } from '../../identity/did/did-plc.ts'
import type { Logged } from '../../identity/did/plc-log.ts'
import { readJson } from '../../platform/xrpc/body.ts'
import { allowAnyOrigin, answerPreflight } from '../../platform/xrpc/cors.ts'
import { sendBinary, sendJson } from '../../platform/xrpc/send.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { dataAfter, documentAfter, type EndpointOf } from './render.ts'
import type { Entry } from './rules.ts'

interface Deps {
  readonly endpointOf: EndpointOf
  /** Begins at once: an operation that arrives while the state is replaced belongs to the earlier one. */
  readonly submit: (did: string, operation: Promise<unknown>) => Promise<void>
  /** The last operation in force of a DID; undefined if it is not registered. */
  readonly lastOf: (did: string) => Logged | undefined
  /** The operations in force of a DID, the oldest first. */
  readonly logOf: (did: string) => readonly Logged[]
  /** All operations of a DID, also nullified ones. */
  readonly auditOf: (did: string) => readonly Entry[]
  readonly all: () => readonly Entry[]
}

/** A response with status 200. */
interface Answer {
  readonly type: string
  readonly body: string
}

const didPath = /^\/(did(?::|%3a)[^/]+)(?:\/(data|log|log\/audit|log\/last))?$/i
/** Bytes of a request, whose operation may have 4000 in DAG-CBOR. */
const maxBodyBytes = 100_000
/** Operations of a page of the export. */
const maxPage = 1000

class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Returns a function that answers requests; it resolves with false for other paths. */
export function createPaths(deps: Deps) {
  const { submit, lastOf } = deps

  async function post(did: string, part: string | undefined, req: IncomingMessage): Promise<Answer> {
    if (part !== undefined) throw new Refusal(404, 'Not found')
    await submit(did, readJson(req, maxBodyBytes))
    return { type: 'text/plain', body: 'OK' }
  }

  function get(did: string, part: string | undefined): Answer {
    const last = lastOf(did)
    if (!last) throw new Refusal(404, `DID not registered: ${did}`)
    if (part === 'log') return ok(deps.logOf(did))
    if (part === 'log/last') return ok(last)
    if (part === 'log/audit') return ok(deps.auditOf(did).map(({ seq: _, ...entry }) => entry))
    const render = part === 'data' ? dataAfter : documentAfter
    const found = render(did, last, deps.endpointOf)
    if (!found) throw new Refusal(410, `DID not available: ${did}`)
    return part === 'data' ? ok(found) : ok(found, 'application/did+ld+json')
  }

  function answer(req: IncomingMessage): Promise<Answer> | Answer | undefined {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost')
    const isRead = req.method === 'GET' || req.method === 'HEAD'
    if (isRead && pathname === '/_health') return ok({ version: 'in memory' })
    if (isRead && pathname === '/export') return exportPage(deps.all(), searchParams)
    const [, name, part] = didPath.exec(pathname) ?? []
    if (name === undefined) return undefined
    const did = decodeURIComponent(name)
    if (isRead) return get(did, part?.toLowerCase())
    return req.method === 'POST' ? post(did, part, req) : undefined
  }

  return async (req: IncomingMessage, res: ServerResponse): Promise<boolean> => {
    if (req.method === 'OPTIONS' && didPath.test((req.url ?? '').replace(/\?.*$/, ''))) {
      allowAnyOrigin(res)
      answerPreflight(req, res)
      return true
    }
    try {
      const found = await answer(req)
      if (!found) return false
      const { type, body } = found
      allowAnyOrigin(res)
      await sendBinary(req, res, { encoding: `${type}; charset=utf-8`, body: Buffer.from(body) })
    } catch (error) {
      allowAnyOrigin(res)
      sendJson(req, res, statusOf(error), { message: (error as Error).message })
    }
    return true
  }
}

function ok(value: unknown, type = 'application/json'): Answer {
  return { type, body: JSON.stringify(value) }
}

/** Returns the status of a refusal. @throws other errors */
function statusOf(error: unknown): number {
  if (error instanceof Refusal) return error.status
  if (error instanceof InvalidPlcOperation || error instanceof XrpcError || error instanceof URIError)
    return 400
  throw error
}

/**
 * Returns a page of all operations as JSON lines. After a number, the entries have numbers; after a time, and from the start, they have
 * `nullified` instead.
 */
function exportPage(all: readonly Entry[], params: URLSearchParams): Answer {
  const after = params.get('after') ?? ''
  const count = Number(params.get('count') ?? maxPage)
  if (!Number.isInteger(count) || count < 1) throw new Refusal(400, 'Invalid count parameter')
  const limit = Math.min(count, maxPage)
  const lines = /^\d+$/.test(after) ? numbered(all, Number(after), limit) : dated(all, after, limit)
  return { type: 'application/jsonlines', body: lines.map((line) => JSON.stringify(line)).join('\n') }
}

function numbered(all: readonly Entry[], after: number, limit: number): unknown[] {
  // The numbers begin with 1 and none is left out.
  return all
    .slice(after, after + limit)
    .map(({ nullified: _, ...entry }) => ({ type: 'sequenced_op', ...entry }))
}

function dated(all: readonly Entry[], after: string, limit: number): unknown[] {
  const time = after === '' ? Number.NEGATIVE_INFINITY : Date.parse(after)
  if (Number.isNaN(time)) throw new Refusal(400, 'Invalid after parameter')
  const first = all.findIndex(({ createdAt }) => Date.parse(createdAt) > time)
  return first < 0 ? [] : all.slice(first, first + limit).map(({ seq: _, ...entry }) => entry)
}
