/**
 * The did:plc identities of local accounts. Operations of one identity never overlap.
 *
 * Three files do the work: `plc-chain.ts` keeps identities that no directory has, `plc-publish.ts` brings a directory in line with
 * the accounts, and `plc-change.ts` carries out changes that an account asks for.
 */
import { LRUCache } from 'lru-cache'
import { OutboundFailed } from '../../platform/network/client.ts'
import { OutboundRefused } from '../../platform/network/guard.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import { announce } from '../../repository/records/announce.ts'
import * as accounts from '../../store/tables/accounts.ts'
import * as streamState from '../../store/tables/stream-state.ts'
import { backoffMs } from '../../util/backoff.ts'
import { deadlineSignal } from '../../util/deadlines.ts'
import { createKeyedSerializer } from '../../util/serialize.ts'
import { isWaiting } from '../../util/wait.ts'
import type { PlcOperation } from '../did/did-plc.ts'
import { PlcRefused, submitOperation } from '../did/plc-directory.ts'
import * as plcChanges from '../tables/plc-changes.ts'
import {
  changeIdentity,
  currentOperation,
  type IdentityChange,
  publishedOperation,
  settleChange,
  submitOwn,
} from './plc-change.ts'
import { type PlcDeps, publishAccount } from './plc-publish.ts'

export interface PlcPublisher {
  /** Submits the pending operations of an account; resolves when the directory has them. @throws OutboundFailed */
  publish(did: string): Promise<void>
  /**
   * Submits the pending operations of all accounts: within 30 s of the time at which the directory answers again, and with growing
   * delays if it refuses. Failures are logged.
   */
  publishDue(): Promise<void>
  /**
   * Submits the first operation of an identity whose account is created next. Returns whether the directory has the operation: false
   * after a few seconds, or if no directory is configured. The identity stays in the directory, whether or not the account follows.
   */
  publishFirst(did: string, operation: PlcOperation): Promise<boolean>
  /** Begins or ends to hold events back after the directory was configured or removed. Call it before the first request. */
  holdEvents(): Promise<void>
  /** Changes the identity of an account. @throws XrpcError `InvalidRequest`, `UpstreamFailure`: then nothing has changed */
  change(did: string, change: IdentityChange): Promise<void>
  /** Publishes an operation that the holder of an account sends. @throws XrpcError `InvalidRequest`, `UpstreamFailure` */
  submit(did: string, operation: PlcOperation): Promise<void>
  /**
   * Returns the current state of an identity: the directory's, else the one created here.
   * @param maxAgeMs the oldest cached result that is accepted; 0 by default
   * @throws XrpcError `InvalidRequest`, `UpstreamFailure`
   */
  current(account: accounts.Account, maxAgeMs?: number): Promise<PlcOperation>
  /** As `current`, after the pending operations are published: the next operation follows it. */
  latest(did: string): Promise<PlcOperation>
}

/** While the directory does not answer, the delay is constant: accounts wait for it. Shorter than two intervals of the job. */
const outageRetryMs = 9_000
/** After refusals. */
const retryDelays = { firstMs: 50_000, longestMs: 60 * 60_000 }
/** Time in which the directory must take the identity of a new account. */
const defaultWaitMs = 5_000

const cachedStates = 500

export function createPlcPublisher(deps: PlcDeps): PlcPublisher {
  const { store, plcOrigin, log, now } = deps
  const serialize = createKeyedSerializer<string>()
  /** Whether the last request to the directory stayed unanswered. */
  let isAway = false
  const retries = new Map<string, { readonly refusals: number; readonly at: number }>()
  const states = new LRUCache<string, { readonly operation: PlcOperation; readonly at: number }>({
    max: cachedStates,
  })

  /** Runs an operation of an identity, with the error of the directory as an error for clients. */
  async function run<T>(did: string, operation: () => Promise<T>): Promise<T> {
    try {
      return await serialize(did, operation)
    } catch (error) {
      throw toUpstreamFailure(deps, did, error)
    } finally {
      states.delete(did)
    }
  }

  function retryLater(did: string, error: unknown): void {
    const { refusals = 0 } = retries.get(did) ?? {}
    const at = now().getTime()
    if (isOutage(error)) retries.set(did, { refusals: 0, at: at + outageRetryMs })
    else retries.set(did, { refusals: refusals + 1, at: at + backoffMs(retryDelays, refusals) })
  }

  /** Logs a failure; the first one only while the directory does not answer. */
  function report(did: string, error: unknown): void {
    if (!isOutage(error) || !isAway) log.warn({ err: error, did }, 'PLC submission failed')
    isAway = isOutage(error)
  }

  /** Returns the accounts to publish now, the longest waiting first. */
  function due(): string[] {
    const pending = new Set<string>([
      ...accounts.withUnpublishedIdentity(store, plcOrigin),
      ...plcChanges.dids(store),
    ])
    for (const did of retries.keys()) if (!pending.has(did)) retries.delete(did)
    const at = (did: string) => retries.get(did)?.at ?? 0
    return [...pending]
      .filter((did) => !isWaiting(at(did), now().getTime(), retryDelays.longestMs))
      .sort((a, b) => at(a) - at(b))
  }

  async function publish(did: string): Promise<void> {
    try {
      await serialize(did, async () => {
        await settleChange(deps, did)
        await publishAccount(deps, did)
      })
      retries.delete(did)
    } catch (error) {
      retryLater(did, error)
      throw error
    } finally {
      states.delete(did)
    }
  }

  return {
    publish,
    async publishDue() {
      if (deps.config.plcUrl === undefined) return
      for (const did of due()) {
        const error: unknown = await publish(did).then(
          () => undefined,
          (reason: unknown) => reason,
        )
        if (error !== undefined) report(did, error)
        else isAway = false
        // The next run begins with the others.
        if (isOutage(error)) return
      }
    },
    async publishFirst(did, operation) {
      const { plcUrl } = deps.config
      if (plcUrl === undefined) return false
      const limit = deadlineSignal(deps.waitMs ?? defaultWaitMs)
      const signal = deps.signal ? AbortSignal.any([limit, deps.signal]) : limit
      try {
        await submitOperation(plcUrl, did, operation, { signal })
        return true
      } catch (error) {
        report(did, error)
        retryLater(did, error)
        return false
      }
    },
    holdEvents: () =>
      store.transact((tx) => {
        if (deps.config.plcUrl !== undefined) return streamState.holdUnpublished(tx)
        for (const did of streamState.unpublished(tx)) announce(tx, did, now())
      }),
    change: (did, change) => run(did, () => changeIdentity(deps, did, change)),
    submit: (did, operation) => run(did, () => submitOwn(deps, did, operation)),
    latest: (did) =>
      run(did, async () => {
        await settleChange(deps, did)
        return publishedOperation(deps, did)
      }),
    async current(account, maxAgeMs = 0) {
      const known = states.get(account.did)
      if (known && isWaiting(known.at + maxAgeMs, now().getTime(), maxAgeMs)) return known.operation
      const operation = await currentOperation(deps, account).catch((error: unknown) => {
        throw toUpstreamFailure(deps, account.did, error)
      })
      states.set(account.did, { operation, at: now().getTime() })
      return operation
    },
  }
}

/** Whether the directory does not answer at the moment, rather than refuse an operation. */
function isOutage(error: unknown): boolean {
  if (error instanceof PlcRefused) return error.status >= 500
  return error instanceof OutboundFailed
}

function toUpstreamFailure({ log }: Pick<PlcDeps, 'log'>, did: string, error: unknown): unknown {
  if (!(error instanceof OutboundFailed) && !(error instanceof OutboundRefused)) return error
  log.warn({ err: error, did }, 'request to the did:plc directory failed')
  return protocolError(
    'UpstreamFailure',
    'The did:plc directory does not answer or refused the change. Nothing was changed here. Try again later.',
  )
}
