/** A relay: servers ask it to follow their event streams. It restarts, loses its position, and connects twice. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Client } from './client.ts'
import { FollowedHost } from './followed-host.ts'
import type { Machine } from './machine.ts'
import { readBody, ServiceHost, sendJson } from './service-host.ts'
import type { Wire } from './wire.ts'

export interface RelayDeps {
  readonly wire: Wire
  readonly machines: () => readonly Machine[]
  readonly keyOf: (did: string) => string
  /** The address of the server of an account, by the directory. */
  readonly serverOf: (did: string) => string | undefined
}

/** A server asks again after so many milliseconds at the earliest. */
const pauseMs = 20 * 60_000

interface Asked {
  readonly at: number
  /** The process that has asked, and its clock. */
  readonly start: number
  readonly skewMs: number
}

export class Relay {
  readonly host: ServiceHost
  /** Status of its answers to requests for a crawl. */
  answer = 200
  /** A server that asked more often than it may, in words. */
  broken: string | undefined
  readonly #deps: RelayDeps
  readonly #followed = new Map<Machine, FollowedHost>()
  readonly #asked = new Map<Machine, Asked>()

  constructor(deps: RelayDeps) {
    this.#deps = deps
    this.host = new ServiceHost('relay', deps.wire, (req, res) => void this.#respond(req, res))
  }

  /** @returns undefined if the server has never asked for it */
  followedOf(machine: Machine): FollowedHost | undefined {
    return this.#followed.get(machine)
  }

  /** Lets it connect where it has lost its connection. */
  connect(): void {
    if (this.host.process.isDead) return
    for (const [machine, followed] of this.#followed) if (machine.isRunning) followed.connect()
  }

  /** Connects once more to the servers that it follows. */
  connectTwice(): void {
    for (const [machine, followed] of this.#followed) if (machine.isRunning) followed.connect(true)
  }

  kill(): void {
    this.host.kill()
    for (const followed of this.#followed.values()) followed.stop()
  }

  /** Loses the position in a stream, and with `isAll` the repositories too. */
  forget(machine: Machine, isAll: boolean): void {
    const followed = this.#followed.get(machine)
    followed?.stop()
    followed?.forget(isAll)
  }

  heal(): void {
    this.answer = 200
    this.host.start()
  }

  /** Servers may ask at once: an administrator wants it. */
  permitAsking(): void {
    this.#asked.clear()
  }

  async #respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readBody(req)
    if (!body) return
    const { hostname } = JSON.parse(body.toString() || '{}')
    const machine = this.#deps.machines().find(({ host }) => host === hostname)
    if (req.url !== '/xrpc/com.atproto.sync.requestCrawl' || !machine)
      return sendJson(res, 400, { error: 'InvalidRequest' })
    this.#judge(machine)
    if (this.answer === 200) this.#follow(machine)
    sendJson(res, this.answer, {})
  }

  #judge(machine: Machine): void {
    const { starts: start, skewMs } = machine
    const at = machine.now().getTime()
    const before = this.#asked.get(machine)
    this.#asked.set(machine, { at, start, skewMs })
    if (before?.start !== start || before.skewMs !== skewMs || at - before.at >= pauseMs - 1000) return
    this.broken ??= `${machine.name} asks again after ${at - before.at} ms`
  }

  #follow(machine: Machine): void {
    const { wire, keyOf, serverOf } = this.#deps
    const followed =
      this.#followed.get(machine) ??
      new FollowedHost({
        ...{ url: machine.url, keyOf, process: () => this.host.process },
        isHostOf: (did) => serverOf(did) === machine.url,
        read: async (path) => {
          const url = new URL(machine.url + path)
          const client = new Client(wire, this.host.process)
          const response = await client.request({ method: 'GET', url, headers: {}, body: undefined })
          return response?.status === 200 ? response.body : undefined
        },
      })
    this.#followed.set(machine, followed)
    followed.connect()
  }
}
