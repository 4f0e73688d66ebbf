/**
 * Brings a did:plc directory in line with the accounts here: publishes identities that it does not have, and handles and
 * endpoints that changed.
 *
 * An account row has the handle and the endpoint that were last published. Like a three-way merge, an update replaces only
 * values that this server published: changes by the owner of the identity stay.
 */

import type { Config } from '../../platform/config/config.ts'
import { OutboundFailed } from '../../platform/network/client.ts'
import type { Platform } from '../../platform/platform.ts'
import { emitIdentity } from '../../repository/events/emit.ts'
import { announce } from '../../repository/records/announce.ts'
import * as accounts from '../../store/tables/accounts.ts'
import * as unactivated from '../../store/tables/unactivated.ts'
import { iso } from '../../util/time.ts'
import { createUpdate, endpointIn, handleIn, type PlcChanges, type PlcOperation } from '../did/did-plc.ts'
import { lastOperation, submitOperation } from '../did/plc-directory.ts'
import type { ResolveDid } from '../did/resolver.ts'
import type { Secrets } from '../did/server-secrets.ts'
import { chainOf, isUnpublished } from './plc-chain.ts'
import { activateBy } from './unactivated.ts'

export interface PlcDeps extends Pick<Platform, 'store' | 'plcOrigin' | 'log' | 'now'> {
  readonly config: Pick<Config, 'plcUrl'>
  readonly secrets: Pick<Secrets, 'rotationKey'>
  readonly resolveDid: ResolveDid
  /** Replaces the time in which the directory must take the identity of a new account; in milliseconds. */
  readonly waitMs?: number | undefined
  /** Aborts requests to the directory. */
  readonly signal?: AbortSignal
}

/** Submits the pending operations of an account. @throws OutboundFailed */
export async function publishAccount(deps: PlcDeps, did: string): Promise<void> {
  const { config, store } = deps
  const account = accounts.findByDid(store, did)
  if (!account || config.plcUrl === undefined || !did.startsWith('did:plc:')) return
  const submitted = await submitPending(deps, config.plcUrl, account)
  const updated = await submitUpdate(deps, config.plcUrl, did)
  if (submitted || updated) await refreshDocument(deps, did)
}

/** Replaces the cached document of a DID. */
export async function refreshDocument({ resolveDid }: Pick<PlcDeps, 'resolveDid'>, did: string) {
  await resolveDid(did, { maxAgeMs: 0 }).catch(() => {})
}

/** Submits the operations of an account that were created here, or the one that it was imported with. */
async function submitPending(deps: PlcDeps, plcUrl: string, account: accounts.Account): Promise<boolean> {
  const { store, plcOrigin: origin, signal, now } = deps
  const { did, plcOperation, plcSubmittedAt } = account
  if (plcOperation === null || plcSubmittedAt !== null) return false
  const operations: PlcOperation[] = isUnpublished(account)
    ? chainOf(store, account)
    : [JSON.parse(plcOperation)]
  if (!account.isMinted) await store.transact((tx) => unactivated.extend(tx, did, activateBy(now())))
  try {
    for (const operation of operations) await submitOperation(plcUrl, did, operation, { signal })
  } catch (error) {
    // The owner may have moved the identity to this server by another operation.
    const last = await lastOperation(plcUrl, did, { signal }).catch(() => undefined)
    const isHere = last?.verificationMethods.atproto === account.signingKeyDid && endpointIn(last) === origin
    if (!isHere) throw error
  }
  const current = operations.at(-1)
  const handle = (account.isMinted && current && handleIn(current)) || account.handle
  const endpoint = (current && endpointIn(current)) ?? origin
  await store.transact((tx) => {
    accounts.setPlcSubmitted(tx, did, iso(now()))
    accounts.setPublished(tx, did, { handle, endpoint })
    if (!accounts.findByDid(tx, did)) return
    // Earlier writes are in the repository that this reports.
    if (account.isMinted) announce(tx, did, now())
    else emitIdentity(tx, did, now())
  })
  return true
}

/** Submits the handle and the endpoint of an account if they differ from the published ones. */
async function submitUpdate(deps: PlcDeps, plcUrl: string, did: string): Promise<boolean> {
  const { store, secrets, plcOrigin: origin, log, now, signal } = deps
  const account = accounts.findByDid(store, did)
  if (!account) return false
  const { handle, plcHandle, plcEndpoint } = account
  const current = { handle, endpoint: origin }
  if (handle === plcHandle && origin === plcEndpoint) return false
  if (plcHandle === null || plcEndpoint === null) return adopt(deps, plcUrl, did, current)
  const last = await lastOperation(plcUrl, did, { signal })
  if (!last) throw new OutboundFailed('The did:plc directory has no operation of the DID')
  const changes = changesTo(last, { handle: plcHandle, endpoint: plcEndpoint }, current)
  const isOurs = changes !== undefined && last.rotationKeys.includes(secrets.rotationKey.did)
  if (isOurs) {
    await submitOperation(plcUrl, did, createUpdate(last, changes, secrets.rotationKey), { signal })
    log.info({ did, ...current }, 'PLC update submitted')
  } else if (changes || endpointIn(last) !== origin) {
    log.warn({ did, ...current }, 'PLC update skipped: the identity was changed in the directory')
  }
  await store.transact((tx) => {
    accounts.setPublished(tx, did, current)
    // The account may have been deleted meanwhile.
    if (isOurs && accounts.findByDid(tx, did)) emitIdentity(tx, did, now())
  })
  return true
}

/** Records that an imported identity names this server, so that later changes are submitted. */
async function adopt(deps: PlcDeps, plcUrl: string, did: string, current: Names): Promise<boolean> {
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
function changesTo(last: PlcOperation, before: Names, current: Names): PlcChanges | undefined {
  const { alsoKnownAs, services } = last
  const { atproto_pds: pds } = services
  const endpoint = endpointIn(last)
  const isElsewhere = endpoint !== before.endpoint && endpoint !== current.endpoint
  if (!pds || isElsewhere) return undefined
  const handles = alsoKnownAs.map((name) =>
    name === `at://${before.handle}` ? `at://${current.handle}` : name,
  )
  const isSame = endpoint === current.endpoint && handles.join(' ') === alsoKnownAs.join(' ')
  if (isSame) return undefined
  return {
    alsoKnownAs: [...new Set(handles)],
    services: { ...services, atproto_pds: { ...pds, endpoint: current.endpoint } },
  }
}
