/**
 * A network for tests: servers, a did:plc directory, an event stream and a mailbox in this process, in memory. The servers are the
 * ordinary ones. Read this first, then `host.ts` (one server) and `door/door.ts` (its address).
 */
import { restrictToLoopback } from '../platform/network/names.ts'
import type { RunningServer } from '../server.ts'
import { realElapsed } from '../util/deadlines.ts'
import { createLogger } from '../util/log.ts'
import { areSourcesReplaced, replaceSources } from '../util/sources.ts'
import { createStops, type Stops } from '../util/stops.ts'
import { createAccountChanges } from './account-changes.ts'
import { createAccounts } from './accounts.ts'
import { addressOf, movedStream } from './addresses.ts'
import { createClock } from './clock.ts'
import type { Network, NetworkOptions, NetworkSnapshot } from './contract.ts'
import { openControl } from './control/control.ts'
import { answerDev } from './control/dev-answer.ts'
import { createDirectory } from './directory/directory.ts'
import { type Door, openDoor } from './door/door.ts'
import { createFaults } from './door/faults.ts'
import { createRequests } from './door/requests.ts'
import { NotInNetwork } from './errors.ts'
import { createGate } from './gate.ts'
import { Host } from './host.ts'
import { createMail } from './mail.ts'
import { serverOf } from './network-server.ts'
import { createOAuth } from './oauth.ts'
import { checkOptions, checkSnapshot, defaultStart } from './options.ts'
import { createLearntPasswords } from './passwords.ts'
import { createRuns } from './runs.ts'
import {
  createSeededSources,
  type SeededSources,
  type SourcesState,
  switchSources,
} from './seed/seeded-sources.ts'
import { prepareSpare, type Spare } from './spare.ts'
import { createEventStream } from './stream/stream.ts'
import type { WorldSource } from './world-loader.ts'
import type { LoadedWorld } from './worlds/worlds.ts'

export type { Network, NetworkOptions, NetworkServer, NetworkSnapshot } from './contract.ts'

/** The same function as in `testing.ts`, which loads this file. */
export async function startNetwork(options: NetworkOptions = {}): Promise<Network> {
  checkOptions(options)
  if (areSourcesReplaced())
    throw new Error('A network runs in this process already, and there can be one at a time: stop it first.')
  const stops = createStops()
  try {
    return await createNetwork(options, stops)
  } catch (error) {
    await stops.run()
    throw error
  }
}

async function createNetwork(options: NetworkOptions, stops: Stops): Promise<Network> {
  const { seed = 1, servers: count = 1, port = 0, now: at = defaultStart, config, from } = options
  const startedAt = realElapsed()
  const end = new Date(at)
  const loader = options.world === undefined || from ? undefined : await import('./world-loader.ts')
  const world = await loader?.openWorld(options.world ?? '')
  const hosts: Host[] = []
  const gate = createGate()
  const { guard, inTurn } = gate
  const open = guard(() => hosts)
  const doors: Door[] = []
  const idle = async () => void (await Promise.all(hosts.map((host) => host.idle())))
  const start = (world && loader?.beginOf(world, end)) ?? end
  // Servers connect to each other when the clock begins, after the start of all.
  const createSources = (state?: SourcesState) =>
    createSeededSources({ seed, start, runs: options.clock === 'real', waits: true, settle: idle }, state)
  let sources = createSources(from?.sources)
  const switched = switchSources(sources)
  stops.defer(replaceSources(switched))
  const { mark, isPast, bind } = createRuns(switched)
  stops.defer(restrictToLoopback(mark))
  const now = () => sources.now()
  const faults = createFaults()
  const passwords = createLearntPasswords()
  const accounts = createAccounts(open, passwords)
  const requests = createRequests(accounts)
  const endpointOf = (named: string) => addressOf(doors, named, config?.publicUrl)
  const directory = createDirectory({ now, endpointOf })
  const stream = createEventStream({ now })
  const control = await openControl({ port: port === 0 ? 0 : port + count, directory, stream, isPast })
  stops.defer(() => control.close())
  stops.defer(() => stream.close(0))
  for (let index = 0; index < count; index++) {
    const door = await openDoor({
      ...{ server: index, port: port === 0 ? 0 : port + index, faults, requests, now, isPast },
      isAccount: (did, named) => did === named || accounts.didOf(named) === did,
      around: (req, call) => {
        const isWrite = req.method === 'POST'
        if (isWrite) sources.tick()
        // Servers read each other at any time, but by other paths than clients draw values with.
        sources.within(isWrite ? 'write' : `read ${req.url?.replace(/\?.*/, '')}`, call)
      },
    })
    doors.push(door)
    stops.defer(() => door.close())
  }
  if (from) {
    directory.restore(from.directory)
    accounts.restore(from.accounts)
    stream.restore(movedStream(from, doors))
  }
  for (const [index, door] of doors.entries()) {
    const options = {
      ...{ index, door, passwords: passwords.hasher, now, plcUrl: control.url, log: createLogger('fatal') },
      others: doors.filter((other) => other !== door).map(({ url }) => url),
      ...{ ...(config && { config }), sources: () => sources },
      onStarted: ({ services }: RunningServer) => stream.attach(services),
    }
    const host = new Host(options, from?.disks[index])
    await host.open()
    hosts.push(host)
    stops.defer(() => host.stop())
  }
  sources.begin()
  // The start has taken time, which a clock that runs must not lack.
  if (options.clock === 'real') sources.leap(new Date(now().getTime() + realElapsed() - startedAt))

  async function snapshot(): Promise<NetworkSnapshot> {
    await idle()
    return {
      urls: doors.map(({ url }) => url),
      disks: await Promise.all(hosts.map((host) => host.snapshot())),
      directory: directory.snapshot(),
      accounts: accounts.snapshot(),
      stream: stream.snapshot(),
      sources: sources.snapshot(),
    }
  }
  /** Gives everything but the servers the state of a snapshot. */
  function putBack(from: NetworkSnapshot, next: SeededSources): void {
    sources.close()
    sources = next
    switched.use(next)
    directory.restore(from.directory)
    stream.restore(from.stream)
    accounts.restore(from.accounts)
    faults.clear()
    requests.clear()
  }

  async function restore(from: NetworkSnapshot): Promise<void> {
    checkSnapshot(from)
    if (from.urls.join() !== doors.map(({ url }) => url).join())
      throw new NotInNetwork('The snapshot is of another network: start one with it as `from`.')
    for (const [index, host] of hosts.entries()) host.kill(from.disks[index])
    putBack(from, createSources(from.sources))
    for (const host of hosts) await host.open()
    sources.begin()
  }

  // A world has hundreds of times. Between two of them, each periodic job runs once at most.
  const passUntil = (at: Date) => sources.set(at, 1)
  if (world) await loader?.fillNetwork(world, { hosts, accounts, now, passUntil }, end)
  async function loadNow(source: WorldSource, readsFiles: boolean): Promise<LoadedWorld> {
    gate.check()
    const { openWorld, fillNetwork } = await import('./world-loader.ts')
    return fillNetwork(await openWorld(source), { hosts, accounts, now, readsFiles }, now())
  }
  const first = await snapshot()
  // A server draws other values at its first start than on a disk that has its keys. So the network begins as it does after a reset.
  if (options.clock !== 'real') await restore(first)
  let spare: Promise<Spare | undefined> | undefined
  stops.defer(async () => (await spare)?.close())

  async function reset(): Promise<void> {
    const ready = await spare
    spare = undefined
    if (ready) {
      for (const host of hosts) host.kill()
      putBack(first, ready.sources)
      ready.adopt()
      sources.begin()
    } else await restore(first)
    // Without them the next reset takes the longer way.
    if (gate.isOpen)
      spare = prepareSpare(hosts, first.disks, createSources(first.sources)).catch(() => undefined)
  }

  const { create, get, appPassword } = accounts
  const { move, requireMailedCode } = createAccountChanges(open, accounts)
  const { approve } = createOAuth(accounts, () => open().map(({ url }) => url))
  const network: Network = {
    url: (doors[0] as Door).url,
    servers: hosts.map((host, index) =>
      serverOf(host, doors[index] as Door, () => inTurn(() => host.restart()), guard),
    ),
    plc: { url: control.url },
    stream: { url: `${control.url.replace(/^http/, 'ws')}/subscribe` },
    devUrl: control.url,
    accounts: {
      ...{ create: bind(create), get: bind(get), appPassword: bind(appPassword), list: guard(accounts.list) },
      ...{ move: bind(move), requireMailedCode: bind(requireMailedCode) },
    },
    clock: createClock({ now: guard(now), sources: switched, bind }),
    mail: createMail(open, accounts),
    oauth: { approve: bind(approve) },
    faults: { add: guard(faults.add), list: guard(faults.list), clear: guard(faults.clear) },
    requests: guard(requests.list),
    onRequest: guard(requests.observe),
    events: guard(stream.events),
    world: bind((source) => loadNow(source, true)),
    snapshot: () => inTurn(snapshot),
    restore: (from) => inTurn(() => restore(from)),
    reset: () => inTurn(reset),
    idle: async () => guard(idle)(),
    stop: () => gate.stop(() => stops.run()),
  }
  control.use(answerDev({ ...network, faults, world: bind((sent) => loadNow(sent, false)) }))
  return network
}
