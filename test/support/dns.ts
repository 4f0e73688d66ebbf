/** A name server on loopback that answers TXT queries (RFC 1035). Every other name does not exist. */
import { createSocket, type Socket } from 'node:dgram'
import type { AddressInfo } from 'node:net'

export class NameServer {
  /** TXT records by name. */
  readonly records = new Map<string, readonly string[]>()
  /** Every name that was queried. */
  readonly queries: string[] = []
  readonly #socket: Socket = createSocket('udp4')

  static async start(): Promise<NameServer> {
    const server = new NameServer()
    server.#socket.on('message', (query, { port, address }) => {
      server.#socket.send(server.#answer(query), port, address)
    })
    await new Promise<void>((resolve) => server.#socket.bind(0, '127.0.0.1', resolve))
    return server
  }

  /** For `PDS_DNS_SERVERS`. */
  get address(): string {
    return `127.0.0.1:${(this.#socket.address() as AddressInfo).port}`
  }

  /** Names the DID of a handle. */
  set(handle: string, ...dids: string[]): void {
    this.records.set(
      `_atproto.${handle}`,
      dids.map((did) => `did=${did}`),
    )
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.close(resolve))
  }

  #answer(query: Buffer): Buffer {
    const headerBytes = 12
    const labels: string[] = []
    let at = headerBytes
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length))
      at += 1 + length
    }
    const name = labels.join('.').toLowerCase()
    const question = query.subarray(headerBytes, at + 5)
    this.queries.push(name)
    const texts = this.records.get(name)
    const header = Buffer.alloc(headerBytes)
    header.set(query.subarray(0, 2))
    // A response, authoritative; NXDOMAIN without records.
    header.writeUInt16BE(texts ? 0x8400 : 0x8403, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(texts?.length ?? 0, 6)
    return Buffer.concat([header, question, ...(texts ?? []).map(textRecord)])
  }
}

/** A TXT record of the name in the question, in strings of up to 255 bytes. */
function textRecord(text: string): Buffer {
  const strings = (text.match(/.{1,255}/gs) ?? ['']).map((part) =>
    Buffer.concat([Buffer.of(part.length), Buffer.from(part)]),
  )
  const data = Buffer.concat(strings)
  const start = Buffer.from('c00c00100001000000000000', 'hex')
  start.writeUInt16BE(data.length, 10)
  return Buffer.concat([start, data])
}
