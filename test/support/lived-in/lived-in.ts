/** A server that has been in use for a year, with an account, `ann`, that has used everything. */
import { afterAll, beforeAll } from 'vitest'
import { periodicJobs } from '../../../server/operation/jobs/jobs.ts'
import type { Config } from '../../../server/platform/config/config.ts'
import { importRepo } from '../accounts/moving-account.ts'
import { PlcDirectory } from '../accounts/plc.ts'
import { FaultyProxy } from '../network/faulty-proxy.ts'
import { archiveOf } from '../records/archive.ts'
import { day } from '../server/clock.ts'
import { TestServer } from '../server/server.ts'
import { server, setupServer, social } from '../server/setup.ts'
import { body } from '../server/social.ts'
import { PushService } from '../services/push-service.ts'
import { addAppPasswords, addApps, addDevices, addFactors, type Factors, requestCodes } from './access.ts'
import { joinServer, people, refreshAll } from './people.ts'
import { keepPrivate, type Made, writeRecords } from './records.ts'

export { people } from './people.ts'

export interface LivedIn {
  readonly made: Made
  readonly factors: Factors
  readonly appPasswords: readonly string[]
}

export let lived: LivedIn
export let directory: PlcDirectory
export let service: PushService
/** The server that the account is moving to. */
export let peer: TestServer
let front: FaultyProxy

/** Registers the hooks that start the server and let it be used. Call it at the top of a test file. @param config further settings */
export function setupLivedIn(config: Partial<Config> = {}): void {
  beforeAll(async () => {
    directory = await PlcDirectory.start()
    service = await PushService.start()
    front = await FaultyProxy.start()
    peer = await TestServer.start({
      ...{ publicUrl: front.url, userDomains: ['.peer.test'] },
      ...{ plcUrl: directory.url, allowPrivateTargets: true },
    })
    front.target = peer.url
  })
  setupServer({
    config: () => ({ plcUrl: directory.url, allowPrivateTargets: true, ...config }),
  })
  beforeAll(async () => {
    lived = await live()
  }, 300_000)
  afterAll(() => Promise.all([directory.close(), service.close(), peer.close(), front.close()]))
}

async function live(): Promise<LivedIn> {
  // The directory is down at first, so that operations wait for it.
  directory.mode = 'down'
  await joinServer()
  await rename('ann-old')
  directory.mode = 'up'
  await runJobs()
  await importOdd()
  const made = await writeRecords()
  await keepPrivate(made)
  const appPasswords = await addAppPasswords()
  await passYear()
  await beginMove()
  const factors = await addFactors()
  await addApps()
  await requestCodes()
  // The directory takes the new handle, and its response is lost.
  directory.downAfterPost = true
  await rename('ann-new').catch(() => {})
  await addDevices(service)
  const { identity, background } = server.running.services
  await identity.lastUsed.write()
  await identity.uses.write()
  await background.idle()
  return { made, factors, appPasswords }
}

/** An archive of another server, with a record that responses cannot contain. */
async function importOdd(): Promise<void> {
  const { ann } = people
  body(await server.post('com.core.server.deactivateAccount', {}, ann))
  const odd = { n: 2n ** 60n } as unknown as Record<string, never>
  const archive = archiveOf({ did: ann.did, records: [['com.example.odd/one', odd]] })
  body(await importRepo(server, ann, new Uint8Array(archive)))
  body(await server.post('com.core.server.activateAccount', undefined, ann))
}

async function rename(name: string): Promise<void> {
  body(await server.post('com.core.identity.updateHandle', { handle: `${name}.test` }, people.ann))
  people.ann = { ...people.ann, handle: `${name}.test` }
}

/** A move that waits for its owner: a file that was taken down cannot be copied. */
async function beginMove(): Promise<void> {
  const input = { server: front.url, password: people.ann.password }
  body(await server.post('com.core.move.moveOut', input, people.ann))
  await server.running.services.background.idle()
}

/** Twelve months in which everyone is active and all jobs run. */
async function passYear(): Promise<void> {
  for (let month = 0; month < 12; month++) {
    for (const one of [server, peer]) await one.elapse(30 * day)
    await refreshAll()
    const post = await social.post(people.ann, { text: `month ${month}` })
    await social.like(people.ben, post)
    await social.reply(people.cat, post)
    await runJobs()
  }
}

/** Runs every periodic job. */
export async function runJobs(at = server): Promise<void> {
  const { services } = at.running
  for (const { run } of periodicJobs(services)) await run()
  await services.background.idle()
}
