/** The embedded server: starts and stops it, and reports its state. */

import type { KeptPlaces } from '../../server/operation/host.ts'
import type { CredentialsKeeper } from '../../server/operation/replicas/credentials.ts'
import type { Config } from '../../server/platform/config/config.ts'
import { type RunningServer, startServer } from '../../server/server.ts'
import type { Services } from '../../server/services.ts'
import type { Logger } from '../../server/util/log.ts'
import type { LogTail } from '../../server/util/log-tail.ts'
import { createSerializer } from '../../server/util/serialize.ts'
import { args } from '../ground/arguments.ts'
import { attempt } from '../ground/attempt.ts'
import type { ServerState } from '../ground/bridge.ts'
import type { Bus } from '../ground/bus.ts'
import { type CallsOf, call } from '../ground/calls.ts'
import { t } from '../ground/strings.ts'
import { freePort } from './free-port.ts'
import { type Failed, failureOf } from './start-failure.ts'

export interface EmbeddedServer {
  readonly calls: CallsOf<'server'>
  readonly state: ServerState
  /** Its URL; while it is stopped, the URL it will have. */
  readonly endpoint: string
  /** Undefined while it is stopped. */
  readonly services: Services | undefined
  /** Call it after a sleep of the computer. */
  wake(): void
  start(): Promise<ServerState>
  stop(): Promise<ServerState>
  restart(): Promise<ServerState>
  /** Runs a task while the server is stopped, and starts it again unless it was stopped before. */
  whileStopped<T>(work: () => Promise<T>): Promise<T>
  /** Runs a task that examines the data of a server that does not run. A start meanwhile says so. @throws Error with a sentence while it runs */
  whileExamined<T>(work: () => Promise<T>): Promise<T>
}

export interface ServerDeps {
  readonly bus: Bus
  readonly log: Logger
  readonly logTail: LogTail
  /** Read at every start. */
  readonly config: () => Config
  /** Keeps the places of copies that the owner adds. */
  readonly places: KeptPlaces
  readonly copiesKeeper: CredentialsKeeper
}

/** Starts and stops run one after the other, in call order. */
export function setupServer({ config, places, copiesKeeper, bus, log, logTail }: ServerDeps): EmbeddedServer {
  let state: ServerState = { kind: 'stopped' }
  let running: RunningServer | undefined
  let examining = 0
  const serialize = createSerializer()

  const setState = (next: ServerState): ServerState => {
    state = next
    bus.emit('serverState', next)
    return next
  }

  async function start(): Promise<ServerState> {
    if (running) return state
    if (examining > 0) return setState(examinedFailure(state, configuredPort(config)))
    setState({ kind: 'starting' })
    let settings: Config | undefined
    try {
      const current = config()
      settings = current
      const onMailKept = () => bus.emit('outbox')
      const onLockLost = (error: Error) => void serialize(() => giveUp(error, current))
      const host = { places, restart: async () => void (await changes.restart()) }
      const options = { log, logTail, onMailKept, onLockLost, copiesKeeper, host }
      running = await startServer(current, options)
      running.services.app.notifications.subscribe((arrivals) => bus.emit('arrival', arrivals))
      log.info({ port: running.port }, 'server started')
      return setState({
        kind: 'running',
        endpoint: endpointOf(running.port),
        port: running.port,
        since: new Date().toISOString(),
      })
    } catch (error) {
      const failed = failureOf(error, settings ?? { port: 0, dataDir: '' })
      log.error({ err: settings ? failed : error }, 'server start failed')
      return setState(failed)
    }
  }

  async function stop(): Promise<ServerState> {
    if (!running) return state.kind === 'failed' ? state : setState({ kind: 'stopped' })
    setState({ kind: 'stopping' })
    const closing = running
    running = undefined
    await closing.close()
    log.info('server stopped')
    return setState({ kind: 'stopped' })
  }

  /** Stops a server that writes nothing more, and shows why. */
  async function giveUp(error: Error, current: Config): Promise<void> {
    if (!running) return
    await stop()
    setState(failureOf(error, current))
  }

  const changes = {
    start: () => serialize(start),
    stop: () => serialize(stop),
    restart: () => serialize(() => stop().then(start)),
  }
  return {
    ...changes,
    calls: {
      'server.state': call(args(), () => state),
      'server.start': call(args(), changes.start),
      'server.stop': call(args(), changes.stop),
      'server.restart': call(args(), changes.restart),
      'server.freePort': call(args(), async () => (await freePort(0)) ?? 0),
    },
    get state() {
      return state
    },
    get endpoint() {
      return endpointOf(running?.port ?? configuredPort(config))
    },
    get services() {
      return running?.services
    },
    wake: () => running?.wake(),
    whileStopped: (work) =>
      serialize(async () => {
        const restart = state.kind !== 'stopped'
        await stop()
        try {
          return await work()
        } finally {
          if (restart) await start()
        }
      }),
    async whileExamined(work) {
      if (!['failed', 'stopped'].includes(state.kind)) throw new Error(t.stillRuns)
      examining++
      try {
        return await work()
      } finally {
        examining--
      }
    },
  }
}

function endpointOf(port: number): string {
  return `http://localhost:${port}`
}

function configuredPort(config: () => Config): number {
  return attempt(() => config().port) ?? 0
}

/** The state as it was, and why it stays so. */
function examinedFailure(state: ServerState, port: number): Failed {
  const failed =
    state.kind === 'failed' ? state : { kind: 'failed' as const, failure: 'other' as const, port }
  return { ...failed, message: t.examined }
}
