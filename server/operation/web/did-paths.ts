/**
 * The read paths of a did:plc directory (`/<did>`, `/<did>/data`, `/<did>/log`, `/<did>/log/last`), for the accounts that live
 * here: a server that reads this one needs no directory to verify their identities.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { chainOf, isUnpublished } from '../../identity/accounts/plc-chain.ts'
import { type PlcOperation, parseOperation } from '../../identity/did/did-plc.ts'
import { operationLog } from '../../identity/did/plc-directory.ts'
import { type ResolveDid, UnresolvableDid } from '../../identity/did/resolver.ts'
import type { Config } from '../../platform/config/config.ts'
import { OutboundFailed } from '../../platform/network/client.ts'
import type { Platform } from '../../platform/platform.ts'
import { type Account, findByDid } from '../../platform/store/tables/accounts.ts'
import { createSharedLookup } from '../../platform/util/shared-lookup.ts'
import { protocolError } from '../../platform/xrpc/errors.ts'
import { isForeignPage } from '../../platform/xrpc/host.ts'
import type { Fallback } from '../../platform/xrpc/http.ts'
import { sendBinary, sendError, sendJson } from '../../platform/xrpc/send.ts'

interface Deps extends Pick<Platform, 'store' | 'now'> {
  readonly config: Pick<Config, 'plcUrl' | 'publicUrl'>
  readonly resolveDid: ResolveDid
  /** Aborts requests to the directory. */
  readonly signal?: AbortSignal
}

const didPath = /^\/(did(?::|%3a)plc(?::|%3a)[a-z2-7]{24})(?:\/(data|log|log\/last))?$/i

/** The log of a published identity is asked for by anyone: the directory is asked again after this time. */
const logMaxAgeMs = 60_000

export function createDidPaths(services: Deps): Fallback {
  const { store } = services
  const readLog = createLogReader(services)

  /** Returns a directory's response; undefined if this server does not know the DID. @throws OutboundFailed, UnresolvableDid */
  async function find(account: Account, part: string | undefined): Promise<unknown> {
    if (part === undefined) return services.resolveDid(account.did)
    const log = await readLog(account)
    if (part === 'log') return log
    const last = log?.at(-1)
    return part === 'log/last' ? last : dataOf(account.did, parseOperation(last))
  }

  return async (req, res, path) => {
    const [, name = '', part] = didPath.exec(path) ?? []
    if (name === '' || (req.method !== 'GET' && req.method !== 'HEAD')) return false
    // As for methods: a page of another site must not find out who lives on a private server.
    if (services.config.publicUrl === undefined && isForeignPage(req.headers)) {
      sendError(req, res, protocolError('Forbidden'))
      return true
    }
    const did = decodeURIComponent(name).toLowerCase()
    const { epoch } = store
    const account = findByDid(store, did)
    const found = account && (await find(account, part).catch(isOutage))
    await store.settled(epoch)
    if (found === unavailable) sendJson(req, res, 503, { message: 'The directory does not answer' })
    else if (found === undefined) sendJson(req, res, 404, { message: `DID not registered: ${did}` })
    else await send(req, res, found, part === undefined ? 'application/did+ld+json' : 'application/json')
    return true
  }
}

const unavailable = Symbol('unavailable')

/** Maps errors of a look-up: undefined if there is nothing to find. */
function isOutage(error: unknown): typeof unavailable | undefined {
  if (error instanceof UnresolvableDid) return error.isOutage ? unavailable : undefined
  if (error instanceof OutboundFailed) return unavailable
  throw error
}

function send(req: IncomingMessage, res: ServerResponse, value: unknown, type: string): Promise<void> {
  return sendBinary(req, res, {
    encoding: `${type}; charset=utf-8`,
    body: Buffer.from(JSON.stringify(value)),
  })
}

/** The state of an identity, as a directory serves it. */
function dataOf(did: string, last: PlcOperation | undefined) {
  if (!last) return undefined
  const { verificationMethods, rotationKeys, alsoKnownAs, services } = last
  return { did, verificationMethods, rotationKeys, alsoKnownAs, services }
}

/** Returns a function that returns the operations of an account, the oldest first. Operations of a published one come from the directory. */
function createLogReader({ config, store, now, signal }: Deps) {
  const published = createSharedLookup<unknown[] | undefined>({
    now,
    foundMs: logMaxAgeMs,
    missingMs: logMaxAgeMs,
    // Otherwise requests of others could cause many while the directory is down.
    keepsFailure: () => true,
  })
  return async (account: Account): Promise<unknown[] | undefined> => {
    if (isUnpublished(account)) return chainOf(store, account)
    const { did } = account
    const { plcUrl } = config
    if (plcUrl === undefined) return undefined
    return published.get(did, () => operationLog(plcUrl, did, { signal }))
  }
}
