/** A local network on the loopback interface: servers that are open to it, and find each other by multicast DNS. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import makeMdns, { type MulticastDNS, type ResponsePacket } from 'multicast-dns'
import { expect } from 'vitest'
import { type Account, adminAuth, TestServer } from '../server/server.ts'

/** Packets may be late on a busy machine. */
export const soon = { timeout: 30_000 }

export interface Neighbour {
  readonly server: TestServer
  readonly owner: Account
}

export interface Nearby {
  readonly isOn: boolean
  readonly computers: readonly { id: string; name: string; handle: string; url: string }[]
  readonly pairings: readonly {
    id: string
    isAsking: boolean
    state: string
    code: string
    did: string
    handle: string
    url: string
  }[]
}

export class LocalNetwork {
  readonly port: number
  readonly #servers: TestServer[] = []
  #responder: MulticastDNS | undefined

  private constructor(port: number) {
    this.port = port
  }

  static async open(): Promise<LocalNetwork> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1')
    await once(socket, 'listening')
    const { port } = socket.address()
    socket.close()
    return new LocalNetwork(port)
  }

  /** Starts a server with an owner. */
  async join(name: string): Promise<Neighbour> {
    const server = await TestServer.start({ hosts: ['0.0.0.0'], publicUrl: undefined }, undefined, {
      discoveryNetwork: { interface: '127.0.0.1', port: this.port },
    })
    this.#servers.push(server)
    return { server, owner: await server.account(name) }
  }

  /** Sends a packet to everyone. */
  async send(packet: Uint8Array): Promise<void> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1')
    await once(socket, 'listening')
    socket.setMulticastInterface('127.0.0.1')
    await new Promise((resolve) => socket.send(packet, this.port, '224.0.0.251', resolve))
    socket.close()
  }

  /** Sends records as a responder would. */
  announce(records: NonNullable<ResponsePacket['answers']>): Promise<void> {
    this.#responder ??= makeMdns({ interface: '127.0.0.1', bind: '0.0.0.0', port: this.port })
    const responder = this.#responder
    return new Promise((resolve) => responder.respond(records, () => resolve()))
  }

  async close(): Promise<void> {
    this.#responder?.destroy()
    for (const server of this.#servers) await server.close()
  }
}

export async function nearby({ server }: Neighbour): Promise<Nearby> {
  const { status, body } = await server.get('com.core.friend.listNearby', {}, adminAuth)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as Nearby
}

/** Waits until a server has found another one. Returns its identifier. */
export async function find(
  from: Neighbour,
  { owner: { handle } }: Pick<Neighbour, 'owner'>,
): Promise<string> {
  const found = async () => (await nearby(from)).computers.find((one) => one.handle === handle)?.id
  await expect.poll(found, soon).toBeDefined()
  return (await found()) ?? ''
}

export const friend = ({ server }: Neighbour, method: string, input: object, auth?: string) =>
  server.post(`com.core.friend.${method}`, input, auth)

/** One asks the other. Returns the identifier of the pairing. */
export async function ask(from: Neighbour, to: Neighbour): Promise<string> {
  const { status, body } = await friend(from, 'askComputer', { id: await find(from, to) }, adminAuth)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.id
}

export const answer = (at: Neighbour, id: string, isSame: boolean) =>
  friend(at, 'answerPairing', { id, isSame }, adminAuth)
