/**
 * The server's own keys, made at its first start and kept in the store, so that a backup carries all that is needed to go
 * on as the same server: tokens stay valid, app passwords work, identities can be moved.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { Database } from '../store/database.ts'
import * as rows from '../store/tables/secrets.ts'
import { createSigningKey, loadSigningKey, publicKeyOf, type SigningKey } from './keys.ts'

export interface Secrets {
  /** HS256 key of session tokens. */
  readonly tokenKey: Uint8Array<ArrayBuffer>
  /** May change the DIDs that were minted here. */
  readonly rotationKey: SigningKey
  /** By which push services know this server. */
  readonly vapidKey: VapidKey
  /** Keyed hash of a generated secret (app password, mail token), so that the store never holds the secret itself. */
  hash(purpose: string, secret: string): Uint8Array
}

/** An application server's key (RFC 8292), both halves in base64url. */
export interface VapidKey {
  readonly publicKey: string
  readonly privateKey: string
}

export async function loadSecrets(store: Database): Promise<Secrets> {
  const tokenKey = await loadOrMake(store, 'token-key', () => randomBytes(32))
  const hashKey = await loadOrMake(store, 'hash-key', () => randomBytes(32))
  const makeKey = async () => (await createSigningKey()).privateKey
  const rotationKey = await loadOrMake(store, 'rotation-key', makeKey)
  const vapidKey = await loadOrMake(store, 'vapid-key', makeKey)
  return {
    tokenKey: new Uint8Array(tokenKey),
    rotationKey: await loadSigningKey(rotationKey),
    vapidKey: {
      publicKey: publicKeyOf(vapidKey).toString('base64url'),
      privateKey: Buffer.from(vapidKey).toString('base64url'),
    },
    hash: (purpose, secret) => createHmac('sha256', hashKey).update(`${purpose}\0${secret}`).digest(),
  }
}

async function loadOrMake(
  store: Database,
  name: string,
  make: () => Uint8Array | Promise<Uint8Array>,
): Promise<Uint8Array> {
  const kept = rows.find(store, name)
  if (kept) return kept
  const made = await make()
  await store.transact((tx) => rows.insert(tx, name, made))
  return made
}
