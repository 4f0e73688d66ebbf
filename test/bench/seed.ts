/** A data directory with existing data, written through the store's tables. */

import { createHash } from 'node:crypto'
import { scopes } from '../../server/identity/auth/scopes.ts'
import { openSession } from '../../server/identity/auth/sessions.ts'
import * as appPasswords from '../../server/identity/tables/app-passwords.ts'
import * as inviteCodes from '../../server/identity/tables/invite-codes.ts'
import { schema } from '../../server/schema/schema.ts'
import { Database, type Writer } from '../../server/store/database.ts'
import * as accounts from '../../server/store/tables/accounts.ts'
import { iso } from '../../server/util/time.ts'

const now = () => new Date()
/** Rows that `insertAccount` writes. */
const rowsEach = 10

/** Fills the directory with this many rows, and leaves them in the database file. */
export async function seed(dir: string, rows: number): Promise<void> {
  const store = await openStore(dir)
  const total = Math.ceil(rows / rowsEach)
  for (let at = 0; at < total; at += 500) {
    await store.transact((tx) => {
      for (let i = at; i < Math.min(at + 500, total); i++) insertAccount(tx, i)
    })
  }
  await store.close()
}

/** Opens a store that writes no checkpoint until it is closed; closing writes everything into the database file. */
export function openStore(dir: string): Promise<Database> {
  return Database.open({ directory: dir, schema, now, checkpointBytes: Number.POSITIVE_INFINITY })
}

/** An account, two app passwords, three sessions with their refresh tokens, an invite code. */
function insertAccount(tx: Writer, i: number): void {
  const account = newAccount(i)
  const { did, createdAt } = account
  accounts.insert(tx, account)
  for (const name of ['phone', 'tablet']) {
    const hash = digest(`${name} ${i}`)
    appPasswords.insert(tx, { did, name, hash, privileged: false, createdAt, permissions: null })
  }
  for (const appPasswordName of [null, 'phone', 'tablet']) {
    openSession(tx, { did, scope: scopes.full, appPasswordName, client: 'bench', permissions: null }, now())
  }
  const code = {
    code: `localhost-${i}`,
    available: 1,
    disabled: 0,
    forAccount: did,
    createdBy: did,
    createdAt,
  }
  inviteCodes.insert(tx, code, false)
}

/** An account whose DID sorts before the server's DIDs. */
export function newAccount(i: number): accounts.NewAccount {
  return {
    did: `did:plc:${String(i).padStart(24, '0')}`,
    handle: `seeded-${i}.test`,
    email: `seeded-${i}@mail.test`,
    passwordHash: '$2b$10$'.padEnd(60, 'x'),
    isOwner: false,
    isMinted: true,
    createdAt: iso(now()),
    deactivatedAt: null,
    activateBy: null,
    streamState: 1,
    inviteCode: null,
    signingKey: digest(`key ${i}`),
    signingKeyDid: 'did:key:zDnaembgSGUhZULN2Caob4HLJPaxBh92N7rtH21TErzqf8HQo',
    plcOperation: JSON.stringify({ type: 'plc_operation', prev: null }).padEnd(800),
  }
}

function digest(text: string): Uint8Array {
  return createHash('sha256').update(text).digest()
}
