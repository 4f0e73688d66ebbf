/**
 * The address of a server in a network for tests. It stays bound while the server behind it is exchanged, killed or paused, and it is
 * where faults happen and requests are recorded. The server itself is the ordinary one.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkHeader } from '../../platform/network/names.ts'
import { isLoopbackHost } from '../../platform/xrpc/host.ts'
import type { App } from '../../platform/xrpc/listen.ts'
import { sendError } from '../../platform/xrpc/send.ts'
import { asksForWebSocket } from '../../platform/xrpc/upgrade.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Listen } from '../../routes/listeners.ts'
import type { ServerOptions } from '../../server.ts'
import { pause, realElapsed } from '../../util/deadlines.ts'
import { parseJson } from '../../util/json.ts'
import { listenHere } from '../listen.ts'
import type { Runs } from '../runs.ts'
import { answerFault } from './fault-answers.ts'
import type { FaultOptions, Faults } from './faults.ts'
import type { NetworkRequest, Requests } from './requests.ts'

interface DoorOptions {
  readonly port: number
  /** Position of the server in the network. */
  readonly server: number
  readonly faults: Faults
  readonly requests: Requests
  readonly now: () => Date
  /** Runs a call. The network makes its random values depend on the order of calls alone. */
  readonly around: (req: IncomingMessage, call: () => void) => void
  /** Whether a DID belongs to an account that a test has named by handle or DID. */
  readonly isAccount: (did: string, named: string) => boolean
  readonly isPast: Runs['isPast']
}

export interface Door {
  readonly port: number
  readonly url: string
  /** For `observe` of the servers. */
  readonly note: NonNullable<ServerOptions['observe']>
  /** Makes a place for a server. Several can wait, and the one that was attached last gets the requests. */
  createPlace(): Place
  readonly isPaused: boolean
  /** Lets requests wait, as a process that is stopped does, but for those of the network itself. */
  pause(): void
  resume(): void
  /** Cuts all connections of the present server, and refuses new ones until the next server listens. */
  cut(): void
  close(): Promise<void>
}

/** A server behind the door. */
interface Attached {
  readonly app: App
}

export interface Place {
  /** In the place of `listen` of an ordinary server. */
  readonly listen: Listen
  /** Lets the server get the requests, if it listens or as soon as it does. */
  attach(): void
}

/** A request whose response is not sent in full. */
interface Received {
  readonly res: ServerResponse
  /** The server that answers it. */
  server: Attached | undefined
  readonly startedAt: number
  fault: FaultOptions | undefined
}

export async function openDoor(options: DoorOptions): Promise<Door> {
  let attached: Attached | undefined
  let resumed: PromiseWithResolvers<void> | undefined
  const notes = new WeakMap<IncomingMessage, Pick<NetworkRequest, 'input' | 'error'>>()
  const all = new Set<Received>()
  /** Connections of event streams, which have no response that is pending. */
  const streams = new Set<Socket>()
  const pendingOf = (server: Attached) => [...all].filter((each) => each.server === server)

  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (!isOfLoopbackPage(req)) return refusePage(req, res)
    // It was under way during a reset.
    if (options.isPast(req.headers[networkHeader])) return void req.socket.destroy()
    const received: Received = { res, server: attached, startedAt: realElapsed(), fault: undefined }
    all.add(received)
    // The server notes what it has read at the same moment.
    res.once('close', () => void Promise.resolve().then(() => end(received)))
    while (resumed && !isOwn(req)) await resumed.promise
    // A connection that ended meanwhile has no call: it may belong to a server that was killed, or to the time before a reset.
    if (!all.has(received)) return
    const { nsid } = targetOf(req)
    const account = accountOf(req)
    const isOf = (named: string) => account !== undefined && options.isAccount(account, named)
    // Browsers send a preflight before a call of another origin: a fault of it would hide the answer from the app.
    const isCall = nsid !== undefined && req.method !== 'OPTIONS' && !isOwn(req)
    received.fault = isCall ? options.faults.take(nsid, isOf) : undefined
    if (received.fault && (await answerFault(received.fault, req, res))) return
    if (!all.has(received)) return
    received.server = attached
    if (attached && asksForWebSocket(req)) addStream(req.socket)
    if (attached) options.around(req, () => attached?.app(req, res))
    else req.socket.destroy()
  }

  function resume(): void {
    resumed?.resolve()
    resumed = undefined
  }

  function addStream(socket: Socket): void {
    streams.add(socket)
    socket.once('close', () => streams.delete(socket))
  }

  function end(received: Received): void {
    if (all.delete(received)) record(received)
  }

  function record({ res, startedAt, fault }: Received): void {
    const { path, query, nsid } = targetOf(res.req)
    if (path === '/xrpc/_health' || isOwn(res.req)) return
    const { server, requests, now } = options
    const { method: verb = 'GET' } = res.req
    const ms = realElapsed() - startedAt
    const at = now().toISOString()
    const account = accountOf(res.req)
    const isFault = fault !== undefined
    const known = { server, at, verb, path, nsid, query, account, status: res.statusCode, ms, isFault }
    requests.add({ ...known, ...notes.get(res.req) })
  }

  async function leave(server: Attached | undefined, graceMs = 0): Promise<void> {
    if (!server) return
    if (attached === server) attached = undefined
    const pending = pendingOf(server)
    if (graceMs > 0 && pending.length > 0) await Promise.race([ended(pending), pause(graceMs)])
    for (const { res } of pendingOf(server)) res.req.socket.destroy()
  }

  const listener = await listenHere((req, res) => {
    receive(req, res).catch(() => req.socket.destroy())
  }, options.port)
  return {
    port: listener.port,
    url: `http://localhost:${listener.port}`,
    note: ({ input, error }, req) =>
      void notes.set(req, {
        ...(input !== undefined && { input: parseJson(Buffer.from(input)) }),
        ...(error !== undefined && { error }),
      }),
    createPlace() {
      let mine: Attached | undefined
      let isWanted = false
      return {
        attach() {
          isWanted = true
          attached = mine ?? attached
        },
        async listen(app) {
          mine = { app }
          if (isWanted) attached = mine
          return { port: listener.port, close: (graceMs) => leave(mine, graceMs) }
        },
      }
    },
    get isPaused() {
      return resumed !== undefined
    },
    pause() {
      resumed ??= Promise.withResolvers()
    },
    resume,
    cut() {
      attached = undefined
      // A process that was killed is no longer stopped.
      resume()
      for (const received of all) {
        // At once: a reset forgets the requests before it, these too.
        end(received)
        received.res.req.socket.destroy()
      }
      for (const socket of streams) socket.destroy()
    },
    close: () => listener.close(0),
  }
}

async function ended(requests: readonly Received[]): Promise<void> {
  await Promise.all(requests.map(({ res }) => new Promise((resolve) => res.once('close', resolve))))
}

function targetOf({ url = '' }: IncomingMessage) {
  const [path = '', query = ''] = url.split('?', 2)
  const nsid = /^\/xrpc\/([a-zA-Z][a-zA-Z0-9.-]*)$/.exec(path)?.[1]
  return { path, query, nsid: nsid === undefined || nsid.startsWith('_') ? undefined : nsid }
}

/** Whether the network itself has sent a request: `call.ts`, or one of its servers. Faults and the list of requests leave it out. */
function isOwn({ headers }: IncomingMessage): boolean {
  return headers[networkHeader] !== undefined
}

/** Returns the DID in the token of a request, which is not verified here. */
function accountOf({ headers: { authorization = '' } }: IncomingMessage): string | undefined {
  const [, payload = ''] = authorization.split('.')
  try {
    const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return typeof sub === 'string' ? sub : undefined
  } catch {
    return undefined
  }
}

/** Pages of other machines must not read a network for tests, whatever it runs beside. Programs send no origin. */
export function isOfLoopbackPage({ headers: { origin } }: IncomingMessage): boolean {
  if (origin === undefined) return true
  const url = URL.parse(origin)
  return url !== null && isLoopbackHost(url.host)
}

function refusePage(req: IncomingMessage, res: ServerResponse): void {
  req.resume()
  sendError(req, res, protocolError('Forbidden', 'Only pages of this computer may use a network for tests'))
}
