/** Three servers with people, a directory, and the time that they share. */
import { createHttpServer } from '../../../server/platform/xrpc/listen.ts'
import { createDirectory, type Directory } from '../../../server/testing/directory/directory.ts'
import { parseJson } from '../../../server/util/json.ts'
import { systemTimers } from '../../../server/util/timers.ts'
import { FaultyDisk } from '../../support/store/faulty-disk.ts'
import { Violation } from '../acts/act.ts'
import type { Person } from '../model/person.ts'
import { Consumer } from '../oracles/consumer.ts'
import { createApps } from './app.ts'
import { Client } from './client.ts'
import type { Disks } from './installed.ts'
import { adminPassword, hostOf, Machine } from './machine.ts'
import { setProgram } from './program.ts'
import { Services } from './services.ts'
import { beginTime, type Time } from './time.ts'
import { type Process, Wire } from './wire.ts'

const names = ['one', 'two', 'three']
/** Of a world whose servers are installed; others begin a day before. */
const start = new Date('2030-01-01T00:00:00Z')
const dayMs = 24 * 60 * 60_000
/** Milliseconds of logical time after which a call that gets no answer is a fault of the server. */
const hangMs = 10 * 60_000
/** In this time after the last fault, servers know of each other. */
const restMs = 5 * 60_000
/** Events whose author could not be looked up are tried again in this time: half an hour and a quarter of that. */
const waitingMs = 37.5 * 60_000
/** What changed while it was read, or could not be read, is read again after this time. */
export const readAgainMs = 10 * 60_000

export interface Answer {
  /** 0 if there was no answer: the call may have had its effect. */
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own output
  readonly body: any
  readonly bytes: Buffer
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>
}

/** A request to a path of a server. */
export interface Sent {
  readonly method: 'GET' | 'POST'
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
}

export interface CallOptions {
  readonly input?: object
  readonly query?: Readonly<Record<string, string>> | readonly string[][]
  readonly token?: string
  /** Calls as the administrator. */
  readonly isAdmin?: boolean
  /** Body that is not JSON, with its type. */
  readonly bytes?: Uint8Array
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The service that is to answer, by the name in `atproto-proxy`: the server itself by default, any if null. */
  readonly service?: string | null
}

export type Call = readonly [nsid: string, options: CallOptions]

export class World {
  readonly wire = new Wire()
  readonly client = new Client(this.wire)
  readonly machines: readonly Machine[]
  readonly people: Person[] = []
  /** People whose accounts were deleted, the last ones. */
  readonly deleted: Person[] = []
  readonly time: Time
  /** The last revision of each repository that was read, by DID. */
  readonly revisions = new Map<string, string>()
  /** The apps that people use. */
  readonly apps = createApps()
  /** Updates of the program so far. */
  updates = 0
  /** The services of the network that servers may use. */
  readonly services: Services
  /** Makes names unique. */
  counter = 1
  readonly #directory: Directory
  readonly #consumers = new Map<Machine, Consumer>()
  /** What happened, in words. Two runs of a seed have the same. */
  readonly trace: string[] = []

  constructor(seed: number, disks?: Disks) {
    setProgram(0)
    const begin = new Date(start.getTime() - (disks ? 0 : dayMs))
    this.time = beginTime(seed, begin, this.wire, () =>
      this.machines.reduce((sum, { disk }) => sum + disk.operations, 0),
    )
    const { now } = this.time.clock
    this.machines = names.map(
      (name) =>
        new Machine({
          ...{ name, now, wire: this.wire, disk: disks?.get(name)?.clone() ?? new FaultyDisk() },
          mail: () => this.services.mail.received,
          upstreams: names.filter((other) => other !== name).map(hostOf),
        }),
    )
    const directory = createDirectory({ now })
    this.#directory = directory
    this.services = new Services(this)
    const process: Process = { node: 'plc', isDead: false }
    const { server } = createHttpServer((req, res) => void directory.handle(req, res))
    this.wire.listen(hostOf('plc'), process, (socket) => void server.emit('connection', socket))
  }

  /** Starts the servers, and lets them connect to each other. */
  async start(): Promise<void> {
    for (const machine of this.machines) await this.drive(machine.start(), `${machine.name}: start`)
    await this.rest()
  }

  /** The did:key with which the repository of an account is signed, by the directory. */
  signingKeyOf(did: string): string {
    const key = this.#directory.resolve(did)?.verificationMethod?.find(({ id }) => id.endsWith('#atproto'))
    return `did:key:${key?.publicKeyMultibase}`
  }

  /** The jobs that delete files have not run in a time that has passed, or at its begin alone. */
  keepFiles(ms: number): void {
    for (const { filesUsedAt } of this.machines)
      for (const [cid, at] of filesUsedAt) filesUsedAt.set(cid, at + ms)
  }

  /** The address of the server of an account, by the directory. */
  serverOf(did: string): string | undefined {
    const services = this.#directory.resolve(did)?.service
    return services?.find(({ id }) => id.endsWith('#atproto_pds'))?.serviceEndpoint
  }

  /** The accounts of all people, also those at servers that their DIDs do not name. */
  get accounts(): Person[] {
    return this.people.flatMap((person) => [person, ...person.copies])
  }

  /** The handle of an account, by the directory. */
  handleOf(did: string): string | undefined {
    return this.#directory.resolve(did)?.alsoKnownAs?.[0]?.replace('at://', '')
  }

  /** The consumer of a machine's event stream. */
  consumerOf(machine: Machine): Consumer {
    const consumer = this.#consumers.get(machine) ?? new Consumer(machine)
    this.#consumers.set(machine, consumer)
    return consumer
  }

  /** Lets consumers connect that have lost their connection. */
  connectConsumers(): void {
    for (const machine of this.machines) if (machine.isRunning) this.consumerOf(machine).connect()
    this.services.relay.connect()
  }

  /** Lets time pass until the servers know of each other what they can know. */
  async rest(): Promise<void> {
    this.connectConsumers()
    await this.pass(restMs)
    if (this.machines.some((machine) => machine.hasWaitingEvents)) await this.pass(waitingMs)
    if (this.machines.some((machine) => machine.isReadingLater(readAgainMs))) await this.pass(readAgainMs)
    // One that was opened before the links worked may have ended meanwhile.
    this.connectConsumers()
    await this.time.settle()
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    const { clock } = this.time
    await clock.set(new Date(clock.now().getTime() + ms), 5)
  }

  note(words: string): void {
    this.trace.push(words)
  }

  /** Resolves with the result of work; lets time pass while nothing else moves. @throws Violation if it takes too long, with its name */
  async drive<T>(work: Promise<T>, name = 'work'): Promise<T> {
    let isDone = false
    const end = () => {
      isDone = true
    }
    work.then(end, end)
    for (let waited = 0; ; waited += 1000) {
      await this.time.settle()
      for (const machine of this.machines) machine.noticeDeath()
      if (isDone) return work
      if (waited >= hangMs) throw new Violation(`${name} does not end`)
      await this.time.clock.advance(1000)
    }
  }

  /** Calls a method as a client outside does. */
  async call(machine: Machine, nsid: string, options: CallOptions = {}): Promise<Answer> {
    return this.send(machine, requestOf(machine, nsid, options))
  }

  /** Calls a method, and another one some turns of the event loop later. */
  async callBoth(
    machine: Machine,
    calls: readonly [first: Call, second: Call],
    turns: number,
  ): Promise<[Answer, Answer]> {
    const [first, second] = calls.map(([nsid, options]) => requestOf(machine, nsid, options)) as [Sent, Sent]
    const later = async () => {
      for (let i = 0; i < turns; i++) await systemTimers.nextTurn()
      return this.#request(machine, second)
    }
    const both = Promise.all([this.#request(machine, first), later()])
    return this.drive(both, `${machine.name}: ${first.path} and ${second.path}`)
  }

  /** Sends a request as a program outside does. */
  async send(machine: Machine, sent: Sent): Promise<Answer> {
    return this.drive(this.#request(machine, sent), `${machine.name}: ${sent.path.split('?')[0]}`)
  }

  async #request(machine: Machine, { method, path, headers, body }: Sent): Promise<Answer> {
    const work = this.client.request({ method, url: new URL(machine.url + path), headers, body })
    this.time.clock.tick()
    const response = await work
    if (!response) return { status: 0, body: undefined, bytes: Buffer.alloc(0), headers: new Map() }
    const { status, headers: answered, body: bytes } = response
    const isJson = answered.get('content-type')?.startsWith('application/json') === true && bytes.length > 0
    return { status, body: isJson ? parseJson(bytes) : undefined, bytes, headers: answered }
  }

  async close(): Promise<void> {
    for (const consumer of this.#consumers.values()) consumer.close()
    this.services.close()
    for (const machine of this.machines) machine.kill()
    try {
      await this.time.settle()
    } finally {
      this.time.end()
    }
  }
}

/** The request of a call. */
function requestOf(machine: Machine, nsid: string, options: CallOptions): Sent {
  const { input, query, bytes, type = 'application/json', headers = {} } = options
  const own = machine.services.has('appview') ? `did:web:${machine.host}#atproto_pds` : null
  const { service = own } = options
  const authorization = authorizationOf(options)
  const search = new URLSearchParams(query as Record<string, string>).toString()
  const body = bytes ?? (input && Buffer.from(JSON.stringify(input)))
  return {
    method: body === undefined ? 'GET' : 'POST',
    path: `/xrpc/${nsid}${search && `?${search}`}`,
    headers: {
      ...(body !== undefined && { 'content-type': type }),
      ...(authorization !== undefined && { authorization }),
      ...(service !== null && { 'atproto-proxy': service }),
      ...headers,
    },
    body,
  }
}

function authorizationOf({ token, isAdmin = false }: CallOptions): string | undefined {
  if (isAdmin) return `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`
  return token === undefined ? undefined : `Bearer ${token}`
}
