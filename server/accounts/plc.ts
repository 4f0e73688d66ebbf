/**
 * Keeps the did:plc directory in line with the accounts of this server, when one is configured. Without one an identity stays
 * local.
 *
 * The queue is the store itself: each account has the handle and the address that the directory was last brought in line with.
 * Where they differ from the present ones, an update operation is due. A change that the owner of an identity made in the
 * directory is kept: only a value that still is as this server published it is replaced.
 */
import type { Config } from '../config/config.ts'
import { createUpdate, endpointIn, handleIn, type PlcOperation } from '../identity/did-plc.ts'
import { OutboundFailed } from '../identity/guarded-fetch.ts'
import { lastOperation, submitOperation } from '../identity/plc-directory.ts'
import type { ResolveDid } from '../identity/resolver.ts'
import type { Secrets } from '../identity/secrets.ts'
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
  /** Submits what the directory lacks of an account; resolves when the directory has it. Throws OutboundFailed. */
  publish(did: string): Promise<void>
  /** The same for all accounts. One that fails is logged, and retried later each time. */
  publishDue(): Promise<void>
}

/** From one attempt to the next: doubled with each failure. */
const firstRetryMs = 50_000
const longestRetryMs = 60 * 60_000

export function createPlcPublisher(deps: Deps): PlcPublisher {
  const { store, origin, log, now } = deps
  const inTurn = createKeyedSerializer<string>()
  const retries = new Map<string, { readonly delayMs: number; readonly at: number }>()

  async function publish(did: string): Promise<void> {
    try {
      await inTurn(did, () => publishAccount(deps, did))
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
    // The owner may have moved the identity here by another operation since.
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

/** Submits the handle and the address of an account where they are not those that the directory was brought in line with. */
async function submitUpdate(deps: Deps, plcUrl: string, did: string): Promise<boolean> {
  const { store, secrets, origin, log, signal } = deps
  const account = accounts.findByDid(store, did)
  if (!account) return false
  const { handle, plcHandle, plcEndpoint } = account
  const present = { handle, endpoint: origin }
  if (handle === plcHandle && origin === plcEndpoint) return false
  if (plcHandle === null || plcEndpoint === null) return adopt(deps, plcUrl, did, present)
  const last = await lastOperation(plcUrl, did, { signal })
  if (!last) throw new OutboundFailed('The did:plc directory has no operation of the DID')
  const changes = changesTo(last, { handle: plcHandle, endpoint: plcEndpoint }, present)
  if (changes && last.rotationKeys.includes(secrets.rotationKey.did)) {
    await submitOperation(plcUrl, did, createUpdate(last, changes, secrets.rotationKey), { signal })
    log.info({ did, ...present }, 'PLC update submitted')
  } else if (changes || endpointIn(last) !== origin) {
    log.warn({ did, ...present }, 'PLC update skipped: its owner changed the identity in the directory')
  }
  await store.transact((tx) => accounts.setPublished(tx, did, present))
  return true
}

/** Records that an imported identity names this server, so that later changes are submitted. */
async function adopt(deps: Deps, plcUrl: string, did: string, present: Names): Promise<boolean> {
  const { store, signal } = deps
  const last = await lastOperation(plcUrl, did, { signal }).catch(() => undefined)
  if (last && endpointIn(last) === present.endpoint) {
    await store.transact((tx) => accounts.setPublished(tx, did, present))
  }
  return false
}

interface Names {
  readonly handle: string
  readonly endpoint: string
}

/** Replaces the names that this server published before by the present ones. Undefined when there is nothing to replace. */
function changesTo(last: PlcOperation, before: Names, present: Names) {
  const { alsoKnownAs, services } = last
  const { atproto_pds: pds } = services
  const isElsewhere = pds?.endpoint !== before.endpoint && pds?.endpoint !== present.endpoint
  if (!pds || isElsewhere) return undefined
  const handles = alsoKnownAs.map((name) =>
    name === `at://${before.handle}` ? `at://${present.handle}` : name,
  )
  const isSame = pds.endpoint === present.endpoint && handles.join(' ') === alsoKnownAs.join(' ')
  if (isSame) return undefined
  return {
    alsoKnownAs: [...new Set(handles)],
    services: { ...services, atproto_pds: { ...pds, endpoint: present.endpoint } },
  }
}
