/**
 * Publishes the identities of local accounts in the did:plc directory, when one is configured.
 *
 * The store is the queue: an account row has the handle and the endpoint that were last published. An update is due while they
 * differ from the current ones. Like a three-way merge, an update replaces only values that this server published: changes by
 * the owner of the identity stay.
 */
import type { Config } from '../config/config.ts'
import { createUpdate, endpointIn, handleIn, type PlcOperation } from '../identity/did-plc.ts'
import { lastOperation, submitOperation } from '../identity/plc-directory.ts'
import type { ResolveDid } from '../identity/resolver.ts'
import type { Secrets } from '../identity/secrets.ts'
import { OutboundFailed } from '../network/guarded-fetch.ts'
import type { Database } from '../store/database.ts'
import * as accounts from '../store/tables/accounts.ts'
import type { Logger } from '../util/log.ts'
import { createKeyedSerializer } from '../util/serialize.ts'
import { iso } from '../util/time.ts'

interface Deps {
  readonly config: Pick<Config, 'plcUrl'>
  readonly store: Database
  readonly secrets: Pick<Secrets, 'rotationKey'>
  readonly resolveDid: ResolveDid
  readonly origin: string
  readonly log: Logger
  readonly now: () => Date
  /** Aborts submissions. */
  readonly signal?: AbortSignal
}

export interface PlcPublisher {
  /** Submits the pending operations of an account; resolves when the directory has them. @throws OutboundFailed */
  publish(did: string): Promise<void>
  /** Submits the pending operations of all accounts. Failures are logged and retried with growing delays. */
  publishDue(): Promise<void>
}

/** The delay doubles with each failure. The first is shorter than the interval of the job, so that its next run retries. */
const firstRetryMs = 50_000
const longestRetryMs = 60 * 60_000

export function createPlcPublisher(deps: Deps): PlcPublisher {
  const { store, origin, log, now } = deps
  const serialize = createKeyedSerializer<string>()
  const retries = new Map<string, { readonly delayMs: number; readonly at: number }>()

  async function publish(did: string): Promise<void> {
    try {
      await serialize(did, () => publishAccount(deps, did))
      retries.delete(did)
    } catch (error) {
      const delayMs = Math.min((retries.get(did)?.delayMs ?? firstRetryMs / 2) * 2, longestRetryMs)
      retries.set(did, { delayMs, at: now().getTime() + delayMs })
      throw error
    }
  }

  return {
    publish,
    async publishDue() {
      if (deps.config.plcUrl === undefined) return
      for (const did of accounts.withUnpublishedIdentity(store, origin)) {
        if ((retries.get(did)?.at ?? 0) > now().getTime()) continue
        await publish(did).catch((error: unknown) => log.warn({ err: error, did }, 'PLC submission failed'))
      }
    },
  }
}

async function publishAccount(deps: Deps, did: string): Promise<void> {
  const { config, store, resolveDid } = deps
  const account = accounts.findByDid(store, did)
  if (!account || config.plcUrl === undefined || !did.startsWith('did:plc:')) return
  const submitted = await submitPending(deps, config.plcUrl, account)
  const updated = await submitUpdate(deps, config.plcUrl, did)
  if (submitted || updated) await resolveDid(did, { maxAgeMs: 0 }).catch(() => {})
}

/** Submits the genesis operation of an account, or the operation that it was imported with. */
async function submitPending(deps: Deps, plcUrl: string, account: accounts.Account): Promise<boolean> {
  const { store, origin, signal, now } = deps
  const { did, plcOperation, plcSubmittedAt } = account
  if (plcOperation === null || plcSubmittedAt !== null) return false
  const operation: PlcOperation = JSON.parse(plcOperation)
  await submitOperation(plcUrl, did, operation, { signal }).catch(async (error: unknown) => {
    // The owner may have moved the identity to this server by another operation.
    const last = await lastOperation(plcUrl, did, { signal }).catch(() => undefined)
    const isHere = last?.verificationMethods.atproto === account.signingKeyDid && endpointIn(last) === origin
    if (!isHere) throw error
  })
  const handle = (account.isMinted && handleIn(operation)) || account.handle
  const endpoint = endpointIn(operation) ?? origin
  await store.transact((tx) => {
    accounts.setPlcSubmitted(tx, did, iso(now()))
    accounts.setPublished(tx, did, { handle, endpoint })
  })
  return true
}

/** Submits the handle and the endpoint of an account if they differ from the published ones. */
async function submitUpdate(deps: Deps, plcUrl: string, did: string): Promise<boolean> {
  const { store, secrets, origin, log, signal } = deps
  const account = accounts.findByDid(store, did)
  if (!account) return false
  const { handle, plcHandle, plcEndpoint } = account
  const current = { handle, endpoint: origin }
  if (handle === plcHandle && origin === plcEndpoint) return false
  if (plcHandle === null || plcEndpoint === null) return adopt(deps, plcUrl, did, current)
  const last = await lastOperation(plcUrl, did, { signal })
  if (!last) throw new OutboundFailed('The did:plc directory has no operation of the DID')
  const changes = changesTo(last, { handle: plcHandle, endpoint: plcEndpoint }, current)
  if (changes && last.rotationKeys.includes(secrets.rotationKey.did)) {
    await submitOperation(plcUrl, did, createUpdate(last, changes, secrets.rotationKey), { signal })
    log.info({ did, ...current }, 'PLC update submitted')
  } else if (changes || endpointIn(last) !== origin) {
    log.warn({ did, ...current }, 'PLC update skipped: the identity was changed in the directory')
  }
  await store.transact((tx) => accounts.setPublished(tx, did, current))
  return true
}

/** Records that an imported identity names this server, so that later changes are submitted. */
async function adopt(deps: Deps, plcUrl: string, did: string, current: Names): Promise<boolean> {
  const { store, signal } = deps
  const last = await lastOperation(plcUrl, did, { signal }).catch(() => undefined)
  if (last && endpointIn(last) === current.endpoint) {
    await store.transact((tx) => accounts.setPublished(tx, did, current))
  }
  return false
}

interface Names {
  readonly handle: string
  readonly endpoint: string
}

/** Returns the members of an update that replaces the published names; undefined if there is nothing to replace. */
function changesTo(last: PlcOperation, before: Names, current: Names) {
  const { alsoKnownAs, services } = last
  const { atproto_pds: pds } = services
  const isElsewhere = pds?.endpoint !== before.endpoint && pds?.endpoint !== current.endpoint
  if (!pds || isElsewhere) return undefined
  const handles = alsoKnownAs.map((name) =>
    name === `at://${before.handle}` ? `at://${current.handle}` : name,
  )
  const isSame = pds.endpoint === current.endpoint && handles.join(' ') === alsoKnownAs.join(' ')
  if (isSame) return undefined
  return {
    alsoKnownAs: [...new Set(handles)],
    services: { ...services, atproto_pds: { ...pds, endpoint: current.endpoint } },
  }
}
