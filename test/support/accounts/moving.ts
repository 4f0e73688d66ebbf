/** Two servers between which accounts move, a directory, a name server, and a connection that fails on request. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll } from 'vitest'
import { NameServer } from '../network/dns.ts'
import { FaultyProxy } from '../network/faulty-proxy.ts'
import { blobOf, download, png } from '../records/blobs.ts'
import { type Account, type Answer, TestServer } from '../server/server.ts'
import { PlcDirectory } from './plc.ts'

export let directory: PlcDirectory
/** Names the DIDs of handles to `server`. */
export let names: NameServer
/** The server that accounts leave, or move to, by the methods of the other one. */
export let other: TestServer
export let proxy: FaultyProxy
/** The server that moves accounts. */
export let server: TestServer

/** Registers the hooks that set the variables above. Call it at the top of a test file. */
export function setupMoving(): void {
  beforeAll(async () => {
    directory = await PlcDirectory.start()
    proxy = await FaultyProxy.start()
    names = await NameServer.start()
    const shared = { plcUrl: directory.url, allowPrivateTargets: true }
    other = await TestServer.start({ ...shared, publicUrl: proxy.url, userDomains: ['.other.test'] })
    proxy.target = other.url
    server = await TestServer.start({
      ...shared,
      ...{
        publicUrl: undefined,
        nameServers: [names.address],
        userDomains: ['.here.test'],
        importLimit: 20_000_000,
        blobUploadLimit: 5_000_000,
      },
    })
  })

  afterAll(async () => {
    await Promise.all([server.close(), other.close()])
    await Promise.all([proxy.close(), directory.close(), names.close()])
  })
}

export const password = 'a good password'
export const preferences = [{ $type: 'app.bsky.actor.defs#adultContentPref', enabled: true }]

/** An account with records, files and preferences, whose identity is published. */
export async function filledAccount(at: TestServer, name: string): Promise<Account> {
  const [domain = ''] = at.config.userDomains
  const account = await at.account(name, { handle: name + domain })
  const blobs = await Promise.all([
    blobOf(at, account, png(`${name} small`)),
    blobOf(at, account, png(`${name} large`, 2_000_000)),
    blobOf(at, account, Buffer.from(`text of ${name}`), 'text/plain'),
  ])
  const values = [
    ...blobs.map((blob) => ({ blob })),
    ...Array.from({ length: 40 }, (_, number) => ({ number })),
  ]
  const writes = values.map((value) => ({
    $type: 'com.core.repo.applyWrites#create',
    collection: 'com.example.note',
    value,
  }))
  await succeed(at.post('com.core.repo.applyWrites', { repo: account.did, writes }, account))
  await succeed(at.post('app.bsky.actor.putPreferences', { preferences }, account))
  await at.running.services.identity.plc.publish(account.did)
  return account
}

export async function succeed(call: Promise<Answer>) {
  const { status, body } = await call
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}

export const records = async (at: TestServer, did: string) => {
  const query = { repo: did, collection: 'com.example.note', limit: '100' }
  return (await succeed(at.get('com.core.repo.listRecords', query))).records
}

export async function filesOf(at: TestServer, did: string): Promise<Record<string, string>> {
  const { cids } = await succeed(at.get('com.core.sync.listBlobs', { did }))
  const entries = await Promise.all(
    (cids as string[]).map(async (cid) => {
      const response = await download(at, did, cid)
      return [cid, Buffer.from(await response.arrayBuffer()).toString('base64')] as const
    }),
  )
  return Object.fromEntries(entries)
}

/** Resolves when the move needs its owner, has failed or has ended. */
export async function settled(at: TestServer, account: { accessJwt: string }) {
  await at.running.services.background.idle()
  return (await succeed(at.get('com.core.move.getMove', {}, account))).move
}

export const proceed = (
  at: TestServer,
  account: { accessJwt: string },
  input: Record<string, string | boolean> = {},
) => at.post('com.core.move.continueMove', input, account)

/** Repeats failed steps until the move needs its owner or has ended. */
export async function repeated(at: TestServer, account: { accessJwt: string }) {
  const errors: string[] = []
  while (errors.length < 10) {
    const move = await settled(at, account)
    if (move.need !== undefined || move.endedAt !== undefined) return move
    errors.push(`${move.step}: ${move.error}`)
    await succeed(proceed(at, account))
  }
  throw new Error(errors.join('\n'))
}

export const moveIn = (account: Account, more: Record<string, string> = {}) =>
  server.post('com.core.move.moveIn', {
    identifier: account.did,
    password: account.password,
    handle: `${account.handle.split('.')[0]}.here.test`,
    newPassword: password,
    ...more,
  })

export const moveOut = (account: Account, more: Record<string, string> = {}) =>
  server.post('com.core.move.moveOut', { server: proxy.url, password, ...more }, account)

/** Answers calls of a method in the place of the other server while `work` runs. */
export async function whileAnswering<T>(
  nsid: string,
  respond: (res: ServerResponse, req: IncomingMessage) => void,
  work: () => Promise<T>,
): Promise<T> {
  proxy.replacements.set(nsid, respond)
  try {
    return await work()
  } finally {
    proxy.replacements.delete(nsid)
  }
}
