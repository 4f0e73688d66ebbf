/** The methods of `/dev`. Their inputs were checked by the lexicons. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { AccountChanges } from '../account-changes.ts'
import type { NetworkAccounts, NewNetworkAccount } from '../accounts.ts'
import type { Duration, NetworkClock } from '../clock.ts'
import type { NetworkServer } from '../contract.ts'
import type { Fault, FaultOptions } from '../door/faults.ts'
import type { NetworkRequest, RequestFilter } from '../door/requests.ts'
import { NotInNetwork, serverAt } from '../errors.ts'
import type { NetworkMail } from '../mail.ts'
import type { NetworkOAuth } from '../oauth.ts'
import type { NetworkEvent } from '../stream/network-event.ts'
import type { EventsOptions } from '../stream/stream.ts'
import type { LoadedWorld, World } from '../worlds/worlds.ts'
import type { Values } from './input.ts'
import { lexicons } from './lexicons.ts'

/** The parts of a network that are used. */
export interface ControlledNetwork<Snapshot> {
  readonly servers: readonly NetworkServer[]
  readonly accounts: NetworkAccounts & AccountChanges
  readonly clock: NetworkClock
  readonly mail: NetworkMail
  readonly oauth: NetworkOAuth
  readonly faults: {
    add(fault: FaultOptions): Fault
    list(): Fault[]
    remove(id: string): boolean
    clear(): void
  }
  requests(filter?: RequestFilter): NetworkRequest[]
  events(options?: EventsOptions): AsyncIterable<NetworkEvent>
  world(source: World): Promise<LoadedWorld>
  snapshot(): Promise<Snapshot>
  restore(snapshot: Snapshot): Promise<void>
  reset(): Promise<void>
}

export interface MethodCall {
  readonly params: Values
  readonly body: Values
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

/** Returns the answer; undefined if it was sent. @throws NotInNetwork and others, see `routes.ts` */
export type Method = (call: MethodCall) => unknown

export function createMethods<Snapshot>(network: ControlledNetwork<Snapshot>) {
  const { accounts, clock, faults, mail, oauth } = network
  return {
    ...serverMethods(network.servers),
    ...snapshotMethods(network),

    listAccounts: () => ({ accounts: accounts.list() }),
    createAccount: ({ body }) => accounts.create(body as unknown as NewNetworkAccount),
    getAccount: ({ params }) => accounts.get(String(params.handle)),
    async createAppPassword({ params, body }) {
      return { password: await accounts.appPassword(String(params.handle), body) }
    },
    async requireMailedCode({ params }) {
      await accounts.requireMailedCode(String(params.handle))
      return {}
    },
    moveAccount: ({ params, body }) => accounts.move(String(params.handle), Number(body.server)),

    getClock: () => ({ now: clock.now().toISOString() }),
    async moveClock({ body: { advance, set } }) {
      if ((advance === undefined) === (set === undefined))
        throw new XrpcError('InvalidRequest', 'Give one of advance and set')
      try {
        await (set === undefined ? clock.advance(advance as Duration) : clock.set(String(set)))
      } catch (error) {
        throw refusalOf(error)
      }
      return { now: clock.now().toISOString() }
    },

    listFaults: () => ({ faults: faults.list() }),
    addFault({ body }) {
      try {
        return faults.add(body)
      } catch (error) {
        throw refusalOf(error)
      }
    },
    clearFaults() {
      faults.clear()
      return {}
    },
    removeFault({ params: { id } }) {
      if (!faults.remove(String(id))) throw new NotInNetwork(`The network has no fault ${id}.`)
      return {}
    },

    listMail: async ({ params }) => ({ messages: await mail.messages(params.handle as string | undefined) }),
    listRequests({ params: { limit, ...filter } }) {
      const found = network.requests(filter)
      const requests = found.slice(-Number(limit ?? found.length))
      return { requests: requests.map((request) => ({ ...request, ms: Math.round(request.ms) })) }
    },
    listEvents: (call) => sendEvents(network, call),

    loadWorld: ({ body }) => loadWorld(network, body),
    async approveRequest({ body: { url, handle, scope } }) {
      const options = { scope: scope as string | undefined }
      return { location: await oauth.approve(String(url), String(handle), options) }
    },
    listLexicons: () => ({ lexicons: Object.values(lexicons) }),
  } satisfies Record<string, Method>
}

/** The refusal of a value that the lexicon allows. */
function refusalOf(error: unknown): unknown {
  const isRefused = error instanceof TypeError || error instanceof RangeError
  return isRefused ? new XrpcError('InvalidRequest', error.message) : error
}

function serverMethods(servers: readonly NetworkServer[]) {
  const shown = (server: NetworkServer, index: number) => {
    const { url, domain, adminPassword, isRunning, isPaused } = server
    return { server: index, url, domain, adminPassword, isRunning, isPaused }
  }
  const change =
    (work: (server: NetworkServer) => void | Promise<void>): Method =>
    async ({ params }) => {
      const index = Number(params.server)
      const server = serverAt(servers, index)
      await work(server)
      return shown(server, index)
    }
  return {
    listServers: () => ({ servers: servers.map(shown) }),
    pauseServer: change((server) => server.pause()),
    resumeServer: change((server) => server.resume()),
    killServer: change((server) => server.kill()),
    restartServer: change((server) => server.restart()),
  } satisfies Record<string, Method>
}

function snapshotMethods<Snapshot>({ snapshot, restore, reset }: ControlledNetwork<Snapshot>) {
  const kept = new Map<string, Snapshot>()
  let last = 0
  return {
    async reset() {
      await reset()
      return {}
    },
    async createSnapshot() {
      const id = String(++last)
      kept.set(id, await snapshot())
      return { id }
    },
    async restoreSnapshot({ params }) {
      const found = kept.get(String(params.id))
      if (found === undefined) throw new NotInNetwork(`The network has no snapshot ${params.id}.`)
      await restore(found)
      return {}
    },
    deleteSnapshot({ params: { id } }) {
      if (!kept.delete(String(id))) throw new NotInNetwork(`The network has no snapshot ${id}.`)
      return {}
    },
  } satisfies Record<string, Method>
}

async function loadWorld({ world }: Pick<ControlledNetwork<never>, 'world'>, body: Values) {
  try {
    return await world(body as unknown as World)
  } catch (error) {
    // Also a call that a server has refused: the message has the place in the world.
    throw new XrpcError('InvalidWorld', (error as Error).message)
  }
}

/** Sends events as fast as the reader takes them. */
async function sendEvents(
  { events }: Pick<ControlledNetwork<never>, 'events'>,
  { params: { since, follow = false }, req, res }: MethodCall,
): Promise<undefined> {
  const left = new AbortController()
  res.once('close', () => left.abort())
  // Hours can pass between two events.
  req.socket.setTimeout(0)
  res.setHeader('Content-Type', 'application/jsonl; charset=utf-8')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.flushHeaders()
  const options = { follow: follow === true, signal: left.signal }
  for await (const event of events(since === undefined ? options : { ...options, since: Number(since) })) {
    if (res.write(`${JSON.stringify(event)}\n`)) continue
    await once(res, 'drain', { signal: left.signal }).catch(() => {})
  }
  res.end()
}
