/**
 * The read paths of a did:plc directory (`/<did>`, `/<did>/data`, `/<did>/log`, `/<did>/log/audit`, `/<did>/log/last`), for the
 * accounts that live here: a server that reads this one needs no directory to verify their identities.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { chainOf, datedChainOf, isUnpublished, type Minted } from '../../identity/accounts/plc-chain.ts'
import { cidOf, type PlcOperation, parseOperation } from '../../identity/did/did-plc.ts'
import { auditLog, operationLog } from '../../identity/did/plc-directory.ts'
import { type ResolveDid, UnresolvableDid } from '../../identity/did/resolver.ts'
import type { Config } from '../../platform/config/config.ts'
import { OutboundFailed } from '../../platform/network/client.ts'
import type { Platform } from '../../platform/platform.ts'
import { createSenderReader } from '../../platform/xrpc/caller.ts'
import type { Fallback } from '../../platform/xrpc/http.ts'
import { sendBinary, sendError, sendJson } from '../../platform/xrpc/send.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import { type Account, findByDid } from '../../store/tables/accounts.ts'
import { createSharedLookup } from '../../util/shared-lookup.ts'

interface Deps extends Pick<Platform, 'store' | 'now'> {
  readonly config: Pick<Config, 'plcUrl' | 'publicUrl'>
  readonly resolveDid: ResolveDid
  /** Aborts requests to the directory. */
  readonly signal?: AbortSignal
}

const didPath = /^\/(did(?::|%3a)plc(?::|%3a)[a-z2-7]{24})(?:\/(data|log|log\/audit|log\/last))?$/i

/** The log of a published identity is asked for by anyone: the directory is asked again after this time. */
const logMaxAgeMs = 60_000

export function createDidPaths(services: Deps): Fallback {
  const { store } = services
  const { readLog, readAudit } = createLogReaders(services)

  /** Returns a directory's response; undefined if this server does not know the DID. @throws OutboundFailed, UnresolvableDid */
  async function find(account: Account, part: string | undefined): Promise<unknown> {
    if (part === undefined) return services.resolveDid(account.did)
    if (part === 'log/audit') return readAudit(account)
    const log = await readLog(account)
    if (part === 'log') return log
    const last = log?.at(-1)
    return part === 'log/last' ? last : dataOf(account.did, parseOperation(last))
  }

  const readSender = createSenderReader(services.config)
  return async (req, res, path) => {
    const [, name = '', part] = didPath.exec(path) ?? []
    if (name === '' || (req.method !== 'GET' && req.method !== 'HEAD')) return false
    // As for methods: a page of another site must not find out who lives on a private server.
    const { isForeignPage, isTrustedPage } = readSender(req)
    if (services.config.publicUrl === undefined && isForeignPage && !isTrustedPage) {
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

/** Operations of an account, the oldest first; undefined if no directory has them. */
type ReadLog = (account: Account) => Promise<readonly unknown[] | undefined>

/** Creates the readers of logs, of which the second has also nullified operations. Those of a published account come from the directory. */
function createLogReaders({ config: { plcUrl }, store, now, signal }: Deps): {
  readonly readLog: ReadLog
  readonly readAudit: ReadLog
} {
  const reader = (
    unpublished: (account: Minted) => readonly unknown[],
    fetchLog: typeof operationLog,
  ): ReadLog => {
    const published = createSharedLookup<unknown[] | undefined>({
      now,
      foundMs: logMaxAgeMs,
      missingMs: logMaxAgeMs,
      // Otherwise requests of others could cause many while the directory is down.
      keepsFailure: () => true,
    })
    return async (account) => {
      if (isUnpublished(account)) return unpublished(account)
      const { did } = account
      if (plcUrl === undefined) return undefined
      return published.get(did, () => fetchLog(plcUrl, did, { signal }))
    }
  }
  return {
    readLog: reader((account) => chainOf(store, account), operationLog),
    readAudit: reader((account) => datedChainOf(store, account).map(entryOf(account.did)), auditLog),
  }
}

/** An operation as directories serve it in the audit log. */
const entryOf =
  (did: string) =>
  ({ operation, createdAt }: ReturnType<typeof datedChainOf>[number]) => ({
    ...{ did, operation, cid: cidOf(operation), nullified: false, createdAt },
  })
