/**
 * A network without sockets: pairs of streams in this process. Production code of HTTP and WebSocket runs on both ends. Links between two
 * nodes can be cut, interrupted and slow. A node is a server, a service, or the outside, where clients are.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { Duplex } from 'node:stream'
import { setDeadline } from '../../../server/util/deadlines.ts'

/** A process of a node. A node that is started again is another process. */
export interface Process {
  readonly node: string
  isDead: boolean
}

/** The process whose code runs: connections begin there. */
export const currentProcess = new AsyncLocalStorage<Process>()

export const outside: Process = { node: 'outside', isDead: false }

type Accept = (socket: Duplex) => void

interface Listening {
  readonly process: Process
  readonly accept: Accept
}

/** What a link between two nodes does. */
interface LinkState {
  /** Bytes wait, and new connections too. */
  isInterrupted: boolean
  delayMs: number
  /** The next connections are cut after so many bytes, in either direction. */
  cutAfter: number[]
}

export class Wire {
  /** Grows with everything that happens here. */
  activity = 0
  readonly #hosts = new Map<string, Listening>()
  readonly #links = new Map<string, LinkState>()
  readonly #connections = new Set<Connection>()

  listen(host: string, process: Process, accept: Accept): void {
    this.#hosts.set(host, { process, accept })
  }

  /** Connects the process that runs to the host of a URL. */
  connect(url: URL): Duplex {
    this.activity++
    const from = currentProcess.getStore() ?? outside
    const host = this.#hosts.get(url.hostname)
    if (from.isDead || !host || host.process.isDead) return failing()
    const link = this.#link(from.node, host.process.node)
    const connection = new Connection(this, link, from, host.process)
    this.#connections.add(connection)
    connection.near.once('close', () => this.#connections.delete(connection))
    currentProcess.run(host.process, () => host.accept(connection.far))
    return connection.near
  }

  /** Ends what a process listens to, and the connections to it. */
  close(process: Process): void {
    for (const [host, listening] of this.#hosts) {
      if (listening.process === process) this.#hosts.delete(host)
    }
    this.#reset(({ to }) => to === process)
  }

  /** Resets all connections of a process that has ended. */
  end(process: Process): void {
    process.isDead = true
    this.#reset(({ from, to }) => from === process || to === process)
  }

  #reset(isChosen: (connection: Connection) => boolean): void {
    for (const connection of [...this.#connections]) if (isChosen(connection)) connection.reset()
  }

  /** Lets bytes between two nodes wait. */
  interrupt(one: string, other: string): void {
    this.#link(one, other).isInterrupted = true
  }

  slow(one: string, other: string, delayMs: number): void {
    this.#link(one, other).delayMs = delayMs
  }

  /** Cuts the next connection between two nodes after some bytes. */
  cutNext(one: string, other: string, bytes: number): void {
    this.#link(one, other).cutAfter.push(bytes)
  }

  /** Ends all faults of links. Waiting bytes are delivered. */
  heal(): void {
    for (const link of this.#links.values()) Object.assign(link, healthy())
    for (const connection of this.#connections) connection.flush()
  }

  #link(one: string, other: string): LinkState {
    const key = [one, other].sort().join(' ')
    const link = this.#links.get(key) ?? healthy()
    this.#links.set(key, link)
    return link
  }
}

const healthy = (): LinkState => ({ isInterrupted: false, delayMs: 0, cutAfter: [] })

function failing(): Duplex {
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  Object.assign(stream, socketMethods)
  process.nextTick(() =>
    stream.destroy(Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' })),
  )
  return stream
}

/** What node:http calls on sockets. Limits of time are those of `deadlines.ts`. */
const socketMethods = {
  setTimeout: () => {},
  setNoDelay: () => {},
  setKeepAlive: () => {},
  ref: () => {},
  unref: () => {},
  remoteAddress: '127.0.0.1',
}

class Connection {
  readonly near: End
  readonly far: End
  readonly from: Process
  readonly to: Process
  readonly #wire: Wire
  readonly #link: LinkState
  readonly #waiting: (() => void)[] = []
  #bytesLeft: number

  constructor(wire: Wire, link: LinkState, from: Process, to: Process) {
    this.#wire = wire
    this.#link = link
    this.from = from
    this.to = to
    this.#bytesLeft = link.cutAfter.shift() ?? Number.POSITIVE_INFINITY
    this.near = new End(this, from)
    this.far = new End(this, to)
    this.near.peer = this.far
    this.far.peer = this.near
  }

  /** Delivers in order, when the link permits it. */
  deliver(bytes: number, work: () => void): void {
    this.#wire.activity++
    this.#bytesLeft -= bytes
    const { delayMs, isInterrupted } = this.#link
    if (this.#bytesLeft < 0) this.reset()
    else if (isInterrupted || this.#waiting.length > 0) this.#waiting.push(work)
    else if (delayMs > 0) {
      this.#waiting.push(work)
      setDeadline(() => this.flush(), delayMs)
    } else work()
  }

  flush(): void {
    if (this.#link.isInterrupted) return
    for (const work of this.#waiting.splice(0)) work()
  }

  reset(): void {
    this.#wire.activity++
    this.#waiting.length = 0
    for (const end of [this.near, this.far]) end.reset()
  }
}

class End extends Duplex {
  peer!: End
  readonly #connection: Connection
  readonly #process: Process

  constructor(connection: Connection, process: Process) {
    // A stream that has ended both ways emits `close`.
    super({ allowHalfOpen: true, autoDestroy: true })
    Object.assign(this, socketMethods)
    this.#connection = connection
    this.#process = process
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#connection.deliver(chunk.length, () => this.peer.#receive(chunk))
    done()
  }

  override _final(done: () => void): void {
    this.#connection.deliver(0, () => this.peer.#receive(null))
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.peer.destroyed) this.#connection.deliver(0, () => this.peer.#lose())
    done(error)
  }

  /** Node's server ends a socket again when its client has ended it: the error for that would be created, and ignored. */
  override end(...args: unknown[]): this {
    return this.writableEnded && args.length === 0
      ? this
      : (super.end as (...args: unknown[]) => this)(...args)
  }

  /** As sockets of node:net have it. */
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  reset(): void {
    if (this.destroyed) return
    const error = Object.assign(new Error('connection reset'), { code: 'ECONNRESET' })
    currentProcess.run(this.#process, () => this.destroy(error))
  }

  #receive(chunk: Buffer | null): void {
    if (this.destroyed || this.readableEnded) return
    currentProcess.run(this.#process, () => this.push(chunk))
  }

  /** The other end was destroyed. */
  #lose(): void {
    if (this.destroyed) return
    if (this.writableFinished || this.readableEnded) this.#receive(null)
    else this.reset()
  }
}
