/**
 * Finds servers of the same kind on the local network, and is found by them: multicast DNS (RFC 6762) with DNS-based service discovery
 * (RFC 6763). Anyone on the network can send such packets, so nothing is trusted but the address that they came from, and little is kept.
 */
import makeMdns, { type MulticastDNS, type ResponseOutgoingPacket, type ResponsePacket } from 'multicast-dns'
import { isPublicAddress } from '../../platform/network/guard.ts'
import type { Platform } from '../../platform/platform.ts'
import { realTime, setDeadline } from '../../util/deadlines.ts'
import { randomBytes } from '../../util/random.ts'
import { isPort } from './port.ts'

/** A server that was found. */
export interface Computer {
  /** Chosen by it at its start. */
  readonly id: string
  readonly name: string
  readonly handle: string
  /** URL of the computer, as it is reached from here. */
  readonly url: string
}

/** The announcement of this server. */
export interface Announcement {
  readonly name: string
  readonly handle: string
  readonly port: number
}

export interface Discovery {
  /** Asks for others, and returns those that have answered lately. */
  look(): Computer[]
  close(): void
}

/** Where packets are sent; the defaults are those of the RFC. */
export interface DiscoveryNetwork {
  readonly interface?: string
  readonly port?: number
}

interface Deps extends Pick<Platform, 'log'> {
  /** Undefined until an account exists. */
  readonly announcement: () => Announcement | undefined
  readonly network?: DiscoveryNetwork | undefined
}

const service = '_desktop-pds._tcp.local'
/** Seconds for which an answer holds. */
const ttl = 120
/** At most one query and one answer in this time. */
const pauseMs = 1000
const maxComputers = 50
/** Servers per address, so that one that announces many leaves room for others. */
const maxPerAddress = 8
const maxText = 64
/** How long a goodbye may take. */
const goodbyeMs = 500

/** Sends one announcement at the start and one goodbye at the end. Everything else answers others. */
export function startDiscovery({ announcement, network = {}, log }: Deps): Discovery {
  const id = randomBytes(8).toString('hex')
  const instance = `${id}.${service}`
  const found = new Map<string, { readonly computer: Computer; readonly until: number }>()
  let asked = 0
  let answered = 0
  const mdns: MulticastDNS = makeMdns({ ...network, ...(network.interface && { bind: '0.0.0.0' }) })
  // Emitted while there is no network, or another program keeps the port for itself.
  const warn = (err: Error) => log.warn({ err }, 'local network cannot be searched')
  mdns.on('error', warn)
  mdns.on('warning', (err: Error) => log.debug({ err }, 'packet of the local network was not understood'))

  function answer(seconds: number, onSent: () => void = () => {}): void {
    const own = announcement()
    if (!own) {
      onSent()
      return
    }
    const texts = { v: '1', id, name: own.name, handle: own.handle }
    const packet: ResponseOutgoingPacket = {
      answers: [{ name: service, type: 'PTR', ttl: seconds, data: instance }],
      additionals: [
        { name: instance, type: 'SRV', ttl: seconds, data: { port: own.port, target: `${id}.local` } },
        {
          name: instance,
          type: 'TXT',
          ttl: seconds,
          data: Object.entries(texts).map(([key, value]) => Buffer.from(`${key}=${value}`)),
        },
      ],
    }
    mdns.respond(packet, onSent)
  }

  mdns.on('query', ({ questions }, { address }) =>
    harmless(() => {
      const isMeant = (questions ?? []).some(
        ({ name, type }) => name === service && ['PTR', 'ANY'].includes(type),
      )
      const now = realTime()
      if (!isMeant || isPublicAddress(address) || now - answered < pauseMs) return
      answered = now
      answer(ttl)
    }),
  )
  mdns.on('response', (packet, { address }) =>
    harmless(() => {
      if (isPublicAddress(address)) return
      for (const { computer, seconds } of computersIn(packet, address)) {
        if (computer.id === id) continue
        if (seconds === 0) found.delete(computer.id)
        else if (found.has(computer.id) || hasRoom(computer)) {
          found.set(computer.id, { computer, until: realTime() + seconds * 1000 })
        }
      }
    }),
  )
  mdns.on('ready', () => harmless(() => answer(ttl)))

  function hasRoom({ url }: Computer): boolean {
    const { hostname } = new URL(url)
    const ofAddress = [...found.values()].filter(
      ({ computer }) => new URL(computer.url).hostname === hostname,
    )
    return found.size < maxComputers && ofAddress.length < maxPerAddress
  }

  /** A packet must not end the process. */
  function harmless(work: () => void): void {
    try {
      work()
    } catch (error) {
      warn(error as Error)
    }
  }

  return {
    look() {
      const now = realTime()
      if (now - asked >= pauseMs) {
        asked = now
        harmless(() => mdns.query(service, 'PTR'))
      }
      for (const [key, { until }] of found) if (until < now) found.delete(key)
      return [...found.values()].map(({ computer }) => computer)
    },
    close() {
      const end = () => mdns.destroy()
      harmless(() => answer(0, end))
      setDeadline(end, goodbyeMs).unref()
    },
  }
}

/** Reads the announcements of a packet. Wrong ones are left out. */
function computersIn(
  { answers, additionals }: ResponsePacket,
  address: string,
): { computer: Computer; seconds: number }[] {
  const records = [...(answers ?? []), ...(additionals ?? [])].slice(0, maxComputers)
  return records.flatMap((pointer) => {
    if (pointer.type !== 'PTR' || pointer.name !== service) return []
    const name = pointer.data
    const server = records.find((record) => record.type === 'SRV' && record.name === name)
    const texts = records.find((record) => record.type === 'TXT' && record.name === name)
    if (server?.type !== 'SRV' || texts?.type !== 'TXT') return []
    const lines = (Array.isArray(texts.data) ? texts.data : [texts.data]).map(String)
    const text = (key: string) =>
      lines.find((line) => line.startsWith(`${key}=`))?.slice(key.length + 1, key.length + 1 + maxText)
    const [id, label, handle] = [text('id'), text('name'), text('handle')]
    const { port } = server.data
    if (text('v') !== '1' || !/^[0-9a-f]{16}$/.test(id ?? '') || !label || !handle || !isPort(port)) return []
    const computer = { id: id as string, name: label, handle, url: `http://${address}:${port}` }
    return [{ computer, seconds: Math.min(Number(pointer.ttl ?? ttl), ttl) }]
  })
}
