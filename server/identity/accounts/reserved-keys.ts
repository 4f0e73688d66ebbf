/** Signing keys that are reserved for accounts before they are imported. */

import type { Config } from '../../platform/config/config.ts'
import type { Platform } from '../../platform/platform.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Writer } from '../../store/database.ts'
import type { SigningKey } from '../../util/keys.ts'
import { iso } from '../../util/time.ts'
import type { ResolveDid } from '../did/resolver.ts'
import * as reservedKeys from '../tables/reserved-keys.ts'
import { readNaming } from './naming.ts'

const day = 24 * 60 * 60_000

const periodMs = 7 * day
/** Until the document of a DID is read again, if it could not be read. */
const unreadableAgainMs = day
/** Anyone may reserve keys. Beyond this number, a key is deleted whose document has been unreadable for long. */
const maxKeys = 10_000
const unreadableForMs = 30 * day
/** Documents of one run, which are read one after another. */
const maxReads = 20

/** @throws NotEnoughResources */
export function reserveKey(tx: Writer, did: string, key: SigningKey, at: Date): void {
  const inMs = (ms: number) => iso(new Date(at.getTime() + ms))
  if (reservedKeys.count(tx) >= maxKeys && !reservedKeys.removeOldest(tx, inMs(-unreadableForMs))) {
    throw protocolError('NotEnoughResources', 'Too many signing keys are reserved. Try again in a few days.')
  }
  reservedKeys.insert(tx, did, key, { at: iso(at), expiresAt: inMs(periodMs) })
}

interface Deps extends Pick<Platform, 'store' | 'origin' | 'log' | 'now'> {
  readonly config: Pick<Config, 'plcUrl'>
  readonly resolveDid: ResolveDid
}

/** Deletes keys that were reserved a week ago, unless the document of the DID has them or cannot be read. */
export async function expireReservedKeys(deps: Deps): Promise<void> {
  const { store, log, now } = deps
  for (const key of reservedKeys.due(store, iso(now()), maxReads)) {
    await expire(deps, key).catch((error: unknown) =>
      log.error({ err: error, did: key.did }, 'expiry of a reserved key failed'),
    )
  }
}

async function expire(deps: Deps, key: reservedKeys.ReservedKey): Promise<void> {
  const { config, store, now } = deps
  // Anyone can reserve a key, so its DID is looked up only if a directory is configured.
  const naming = config.plcUrl === undefined ? 'unreadable' : await readNaming(deps, key.did, key.keyDid)
  await store.transact((tx) => {
    const at = now()
    const isNamed = naming === 'here'
    if (isNamed || naming === 'unreadable') {
      const until = at.getTime() + (isNamed ? periodMs : unreadableAgainMs)
      reservedKeys.keep(tx, key, isNamed, iso(new Date(until)))
    } else {
      reservedKeys.removeDue(tx, key, iso(at))
    }
  })
}
