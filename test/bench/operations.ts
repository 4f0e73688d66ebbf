/** The operations whose latency is measured, each as a client makes it. */
import type { Client } from './client.ts'
import type { Disk } from './disk.ts'
import type { Operation } from './latency.ts'

export const adminAuth = `Basic ${Buffer.from('admin:admin password of the bench').toString('base64')}`

export interface BenchAccount {
  readonly did: string
  readonly handle: string
  readonly password: string
  readonly accessJwt: string
  readonly refreshJwt: string
}

export async function createAccount(client: Client, name: string): Promise<BenchAccount> {
  const given = { handle: `${name}.test`, email: `${name}@mail.test`, password: `${name} has a password` }
  const { json } = await client.call('createAccount', given)
  return { ...given, ...json }
}

/** Reads and writes of one account. The list of app passwords has ten entries. */
export async function operations(client: Client, account: BenchAccount): Promise<Operation[]> {
  const { accessJwt, handle, password } = account
  for (let i = 0; i < 10; i++) await client.call('createAppPassword', { name: `kept ${i}` }, accessJwt)
  let { refreshJwt } = (await client.call('createSession', { identifier: handle, password })).json
  let made = 0
  let revoked = 0
  const aud = 'did:web:service.example'
  return [
    {
      name: 'createSession',
      times: 40,
      run: () => client.call('createSession', { identifier: handle, password }),
    },
    {
      name: 'refreshSession',
      times: 400,
      async run() {
        refreshJwt = (await client.call('refreshSession', undefined, refreshJwt)).json.refreshJwt
      },
    },
    {
      name: 'createAppPassword',
      times: 400,
      run: () => client.call('createAppPassword', { name: `passing ${made++}` }, accessJwt),
    },
    // Each run revokes one that createAppPassword made in the same round: an account can have a hundred at most.
    {
      name: 'revokeAppPassword',
      times: 400,
      run: () => client.call('revokeAppPassword', { name: `passing ${revoked++}` }, accessJwt),
    },
    {
      name: 'listAppPasswords',
      times: 400,
      run: () => client.get('/xrpc/com.core.server.listAppPasswords', accessJwt),
    },
    {
      name: 'createInviteCode',
      times: 400,
      run: () => client.call('createInviteCode', { useCount: 1 }, adminAuth),
    },
    {
      name: 'getServiceAuth',
      times: 400,
      run: () => client.get(`/xrpc/com.core.server.getServiceAuth?aud=${aud}`, accessJwt),
    },
    { name: 'getSession', times: 400, run: () => client.get('/xrpc/com.core.server.getSession', accessJwt) },
  ]
}

/** Baselines: the disk alone, and a bare server that writes to it. */
export function baselines(disk: Disk, bare: Client): Operation[] {
  return [
    { name: 'write + fdatasync', times: 800, run: () => disk.append() },
    { name: 'the same over bare HTTP', times: 800, run: () => bare.call('write', {}) },
  ]
}
