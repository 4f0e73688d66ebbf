/** A name server on loopback (RFC 1035) with texts, addresses and aliases. Every other name does not exist. */
import { createSocket, type Socket } from 'node:dgram'
import { type AddressInfo, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

export class NameServer {
  /** TXT records by name. */
  readonly records = new Map<string, readonly string[]>()
  /** IPv4 and IPv6 addresses by name. */
  readonly addresses = new Map<string, readonly string[]>()
  /** Names that lead to the addresses of another one. */
  readonly aliases = new Map<string, string>()
  /** Queries that match are never answered; they look like `TXT alice.example`. */
  silent: RegExp | undefined
  /** Every name that was queried. */
  readonly queries: string[] = []
  readonly #watchers = new Set<() => void>()
  readonly #socket: Socket = createSocket('udp4')

  static async start(): Promise<NameServer> {
    const server = new NameServer()
    server.#socket.on('message', (query, { port, address }) => {
      const answer = server.#answer(query)
      if (answer) server.#socket.send(answer, port, address)
      for (const check of server.#watchers) check()
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

  /** Resolves when a number of queries match; they look like the names in `queries`. */
  async queried(pattern: RegExp, count = 1): Promise<void> {
    const enough = Promise.withResolvers<void>()
    const check = () => {
      if (new Set(this.queries.filter((name) => pattern.test(name))).size >= count) enough.resolve()
    }
    this.#watchers.add(check)
    check()
    await enough.promise.finally(() => this.#watchers.delete(check))
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.close(resolve))
  }

  /** @returns undefined for a query that is not answered */
  #answer(query: Buffer): Buffer | undefined {
    const headerBytes = 12
    const labels: string[] = []
    let at = headerBytes
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length))
      at += 1 + length
    }
    const name = labels.join('.').toLowerCase()
    const question = query.subarray(headerBytes, at + 5)
    const type = query.readUInt16BE(at + 1)
    this.queries.push(name)
    if (this.silent?.test(`${typeNames[type] ?? type} ${name}`)) return undefined
    const answers = this.#answersTo(name, type)
    const header = Buffer.alloc(headerBytes)
    header.set(query.subarray(0, 2))
    // A response, authoritative; NXDOMAIN without records.
    header.writeUInt16BE(answers ? 0x8400 : 0x8403, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(answers?.length ?? 0, 6)
    return Buffer.concat([header, question, ...(answers ?? [])])
  }

  /** @returns undefined if the name does not exist */
  #answersTo(name: string, type: number): Buffer[] | undefined {
    if (type === types.TXT) {
      return this.records
        .get(name)
        ?.map((text) => resourceRecord(pointerToQuestion, types.TXT, textData(text)))
    }
    const target = this.aliases.get(name)
    const addresses = this.addresses
      .get(target ?? name)
      ?.filter((one) => isIPv6(one) === (type === types.AAAA))
    const owner = target === undefined ? pointerToQuestion : encodedName(target)
    const found = addresses?.map((one) =>
      resourceRecord(owner, type, Buffer.from(ipaddr.parse(one).toByteArray())),
    )
    return target === undefined || !found
      ? found
      : [resourceRecord(pointerToQuestion, types.CNAME, encodedName(target)), ...found]
  }
}

const types = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 }
const typeNames: Readonly<Record<number, string>> = { 1: 'A', 16: 'TXT', 28: 'AAAA' }
const pointerToQuestion = Buffer.from('c00c', 'hex')

function encodedName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.of(0)])
}

/** The data of a TXT record, in strings of up to 255 bytes. */
function textData(text: string): Buffer {
  const strings = text.match(/.{1,255}/gs) ?? ['']
  return Buffer.concat(strings.map((part) => Buffer.concat([Buffer.of(part.length), Buffer.from(part)])))
}

/** A record that no one may keep. */
function resourceRecord(owner: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.from('00000001000000000000', 'hex')
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, fixed, data])
}
