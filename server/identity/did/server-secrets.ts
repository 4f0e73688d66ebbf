/**
 * The keys of the server, generated at its first start. They are in the store, so that tokens, app passwords and identities
 * still work after a restore from a backup.
 */
import { createHmac } from 'node:crypto'
import type { Database } from '../../store/database.ts'
import * as rows from '../../store/tables/secrets.ts'
import { createSigningKey, loadSigningKey, publicKeyOf, type SigningKey } from '../../util/keys.ts'
import { randomBytes } from '../../util/random.ts'

export interface Secrets {
  /** HS256 key of session tokens. */
  readonly tokenKey: Uint8Array<ArrayBuffer>
  /** Signs operations of the DIDs that were created here. */
  readonly rotationKey: SigningKey
  /** Identifies this server to Web Push services. */
  readonly vapidKey: VapidKey
  /** Returns the keyed hash under which a generated secret (app password, mail token) is stored. */
  hash(purpose: string, secret: string): Uint8Array
}

/** The key pair of an application server (RFC 8292), in base64url. */
export interface VapidKey {
  readonly publicKey: string
  readonly privateKey: string
}

export async function loadSecrets(store: Database): Promise<Secrets> {
  const tokenKey = await loadOrCreate(store, 'token-key', () => randomBytes(32))
  const hashKey = await loadOrCreate(store, 'hash-key', () => randomBytes(32))
  const createKey = async () => (await createSigningKey()).privateKey
  const rotationKey = await loadOrCreate(store, 'rotation-key', createKey)
  const vapidKey = await loadOrCreate(store, 'vapid-key', createKey)
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

async function loadOrCreate(
  store: Database,
  name: string,
  create: () => Uint8Array | Promise<Uint8Array>,
): Promise<Uint8Array> {
  const stored = rows.find(store, name)
  if (stored) return stored
  const created = await create()
  await store.transact((tx) => rows.insert(tx, name, created))
  return created
}
