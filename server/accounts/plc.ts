/**
 * The did:plc identities of local accounts. Operations of one identity never overlap.
 *
 * Three files do the work: `plc-chain.ts` keeps identities that no directory has, `plc-publish.ts` brings a directory in line with
 * the accounts, and `plc-change.ts` carries out what an account asks for.
 */
import { LRUCache } from 'lru-cache'
import type { PlcOperation } from '../identity/did-plc.ts'
import { OutboundRefused } from '../network/guard.ts'
import { OutboundFailed } from '../network/guarded-fetch.ts'
import * as accounts from '../store/tables/accounts.ts'
import * as plcChanges from '../store/tables/plc-changes.ts'
import { createKeyedSerializer } from '../util/serialize.ts'
import { protocolError } from '../xrpc/errors.ts'
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
  /** Submits the pending operations of all accounts. Failures are logged and retried with growing delays. */
  publishDue(): Promise<void>
  /** Changes the identity of an account. @throws XrpcError `InvalidRequest`, `UpstreamFailure`: then nothing has changed */
  change(did: string, change: IdentityChange): Promise<void>
  /** Publishes an operation that the holder of an account sends. @throws XrpcError `InvalidRequest`, `UpstreamFailure` */
  submit(did: string, operation: PlcOperation): Promise<void>
  /**
   * Returns the current state of an identity: what the directory has, else what was created here.
   * @param maxAgeMs the oldest cached result that is accepted; 0 by default
   * @throws XrpcError `InvalidRequest`, `UpstreamFailure`
   */
  current(account: accounts.Account, maxAgeMs?: number): Promise<PlcOperation>
  /** As `current`, after the pending operations are published: the next operation follows it. */
  latest(did: string): Promise<PlcOperation>
}

/** The delay doubles with each failure. The first is shorter than the interval of the job, so that its next run retries. */
const firstRetryMs = 50_000
const longestRetryMs = 60 * 60_000

const cachedStates = 500

export function createPlcPublisher(deps: PlcDeps): PlcPublisher {
  const { store, origin, log, now } = deps
  const serialize = createKeyedSerializer<string>()
  const retries = new Map<string, { readonly delayMs: number; readonly at: number }>()
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

  async function publish(did: string): Promise<void> {
    try {
      await serialize(did, async () => {
        await settleChange(deps, did)
        await publishAccount(deps, did)
      })
      retries.delete(did)
    } catch (error) {
      const delayMs = Math.min((retries.get(did)?.delayMs ?? firstRetryMs / 2) * 2, longestRetryMs)
      retries.set(did, { delayMs, at: now().getTime() + delayMs })
      throw error
    } finally {
      states.delete(did)
    }
  }

  return {
    publish,
    async publishDue() {
      if (deps.config.plcUrl === undefined) return
      const due = new Set([...accounts.withUnpublishedIdentity(store, origin), ...plcChanges.dids(store)])
      for (const did of due) {
        if ((retries.get(did)?.at ?? 0) > now().getTime()) continue
        await publish(did).catch((error: unknown) => log.warn({ err: error, did }, 'PLC submission failed'))
      }
    },
    change: (did, change) => run(did, () => changeIdentity(deps, did, change)),
    submit: (did, operation) => run(did, () => submitOwn(deps, did, operation)),
    latest: (did) =>
      run(did, async () => {
        await settleChange(deps, did)
        return publishedOperation(deps, did)
      }),
    async current(account, maxAgeMs = 0) {
      const known = states.get(account.did)
      if (known && now().getTime() - known.at < maxAgeMs) return known.operation
      const operation = await currentOperation(deps, account).catch((error: unknown) => {
        throw toUpstreamFailure(deps, account.did, error)
      })
      states.set(account.did, { operation, at: now().getTime() })
      return operation
    },
  }
}

function toUpstreamFailure({ log }: Pick<PlcDeps, 'log'>, did: string, error: unknown): unknown {
  if (!(error instanceof OutboundFailed) && !(error instanceof OutboundRefused)) return error
  log.warn({ err: error, did }, 'request to the did:plc directory failed')
  return protocolError(
    'UpstreamFailure',
    'The did:plc directory does not answer or refused the change. Nothing was changed here. Try again later.',
  )
}
