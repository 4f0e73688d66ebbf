/**
 * Two servers on one network become friends: one asks the other, both show the same six digits, and when both people have said that they
 * are the same, each knows the account of the other. To follow it is up to each: a server never follows because another one says so.
 *
 * All of it is in memory, and only for a server that is open to its local network and has no public address.
 *
 * Read this first. `discovery.ts` finds servers by multicast DNS, `code.ts` makes the six digits.
 */
import { hostname } from 'node:os'
import { isValidDid, isValidHandle } from '@atproto/syntax'
import type { Config } from '../../platform/config/config.ts'
import { guardedFetch } from '../../platform/network/client.ts'
import { isPublicAddress } from '../../platform/network/guard.ts'
import { isRestrictedToLoopback } from '../../platform/network/names.ts'
import type { Platform } from '../../platform/platform.ts'
import { isLoopback, isOnLocalNetwork } from '../../platform/xrpc/host.ts'
import type { Caller } from '../../platform/xrpc/method.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Reader } from '../../store/database.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { isObject, parseJson } from '../../util/json.ts'
import { randomBytes } from '../../util/random.ts'
import { isWaiting } from '../../util/wait.ts'
import { type Card, codeOf, commitmentTo, newNonce, type Side } from './code.ts'
import type { Computer, Discovery, DiscoveryNetwork } from './discovery.ts'
import { isPort } from './port.ts'

/**
 * - `compare`: both screens show the code. `confirmed`: it was confirmed here, and not there yet.
 * - `agreed`: it was confirmed on both. `declined`: it was declined on one.
 */
export type PairingState = 'compare' | 'confirmed' | 'agreed' | 'declined'

/** Two servers that are becoming friends. */
export interface Pairing {
  readonly id: string
  /** Whether this server has asked. */
  readonly isAsking: boolean
  readonly state: PairingState
  /** Six digits. */
  readonly code: string
  /** The other one. Not proven before the codes were compared. */
  readonly other: Card
  /** URL of the other server, as it is reached from here. */
  readonly url: string
}

export interface Friends {
  /** Whether the server is on a local network only, with an owner. */
  readonly isOn: boolean
  /** Finds other servers, and is found by them, from now on. @param port on which this server listens */
  start(port: number): Promise<void>
  /** Returns the computers that have answered lately, and asks for others. */
  computers(): Computer[]
  pairings(): Pairing[]
  /** Asks a computer that was found. @throws ComputerNotFound, PairingFailed */
  ask(id: string): Promise<Pairing>
  /** The person has compared the codes. @throws PairingNotFound, PairingFailed */
  answer(id: string, isSame: boolean): Promise<Pairing>
  /** Removes an ended pairing. */
  forget(id: string): void

  /** Another server asks this one. @throws NotOnLocalNetwork, TooManyPairings */
  propose(from: Sender, proposal: Proposal): Side
  /** Another server reveals its number. @throws PairingNotFound, WrongCommitment */
  reveal(from: Sender, id: string, nonce: string): void
  /** The person at the other server has compared the codes. @throws PairingNotFound */
  conclude(from: Sender, id: string, isSame: boolean): void
  close(): void
}

export type Sender = Pick<Caller, 'address' | 'isLocal' | 'isForwarded' | 'isForeignPage'>

export interface Proposal {
  readonly id: string
  readonly commitment: string
  readonly card: Card
}

export interface FriendsDeps extends Pick<Platform, 'log' | 'now' | 'signal'> {
  readonly config: Pick<Config, 'publicUrl' | 'hosts'>
  readonly store: Reader
  readonly network?: DiscoveryNetwork | undefined
}

interface Entry {
  readonly id: string
  readonly isAsking: boolean
  readonly address: string
  readonly url: string
  readonly mine: Side
  readonly other: { readonly card: Card; readonly commitment?: string; nonce?: string }
  confirmedHere: boolean
  confirmedThere: boolean
  isDeclined: boolean
  readonly until: number
}

/** How long people have to compare the codes. */
const pairingMs = 5 * 60_000
const maxPairings = 6
const maxPerAddress = 2

export function createFriends({ config, store, log, now, signal, network }: FriendsDeps): Friends {
  const isLocalNetwork = isOnLocalNetwork(config) && !isRestrictedToLoopback()
  const entries = new Map<string, Entry>()
  let discovery: Discovery | undefined
  let port = 0

  const owner = () => accounts.owner(store)
  const name = () =>
    hostname()
      .replace(/\.local$/i, '')
      .slice(0, 60) || 'computer'
  function myCard(): Card {
    const account = owner()
    if (!isLocalNetwork || !account) {
      throw new XrpcError('NotOnLocalNetwork', 'This server is not open to its local network')
    }
    return { did: account.did, handle: account.handle, name: name(), port }
  }

  function current(): Entry[] {
    const time = now().getTime()
    for (const [id, { until }] of entries) if (!isWaiting(until, time, pairingMs)) entries.delete(id)
    return [...entries.values()]
  }

  function find(id: string, address?: string): Entry {
    const entry = current().find((one) => one.id === id)
    if (!entry || (address !== undefined && entry.address !== address)) {
      throw new XrpcError('PairingNotFound', 'There is no such request any more')
    }
    return entry
  }

  function add(entry: Pick<Entry, 'id' | 'isAsking' | 'address' | 'mine' | 'other'>): Entry {
    const { address, other } = entry
    const added: Entry = {
      ...entry,
      url: `http://${address}:${other.card.port}`,
      ...{ confirmedHere: false, confirmedThere: false, isDeclined: false },
      until: now().getTime() + pairingMs,
    }
    entries.set(entry.id, added)
    return added
  }

  /**
   * Accepts servers of the local network only. A request of a page has an origin, one through a proxy is forwarded. A proxy that is
   * missing in the settings connects by loopback with the public name.
   */
  function checkSender({ address, isLocal, isForwarded, isForeignPage }: Sender): void {
    const isByProxy = isForwarded || (isLoopback(address) && !isLocal)
    if (!isByProxy && !isForeignPage && !isPublicAddress(address)) return
    throw new XrpcError('NotOnLocalNetwork', 'Only servers on the same network can ask for a connection')
  }

  /** Calls a method of the other server. @throws PairingFailed */
  async function call(
    url: string,
    method: string,
    input: object,
  ): Promise<Readonly<Record<string, unknown>>> {
    try {
      const { status, body } = await guardedFetch(`${url}/xrpc/com.core.friend.${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
        allowPrivate: true,
        signal,
      })
      const answer = parseJson(body)
      if (status === 200) return isObject(answer) ? answer : {}
      log.info({ url, method, status }, 'other computer refuses')
    } catch (error) {
      log.info({ err: error, url, method }, 'other computer cannot be reached')
    }
    throw new XrpcError('PairingFailed', 'The other computer did not answer. Is its server still running?')
  }

  const view = (entry: Entry): Pairing => {
    const { id, isAsking, mine, other, url } = entry
    const theirs = { card: other.card, nonce: other.nonce ?? '' }
    const code = isAsking ? codeOf(mine, theirs) : codeOf(theirs, mine)
    return { id, isAsking, state: stateOf(entry), code, other: other.card, url }
  }

  return {
    get isOn() {
      return isLocalNetwork && owner() !== undefined
    },
    async start(listening) {
      port = listening
      if (!isLocalNetwork) return
      const { startDiscovery } = await import('./discovery.ts')
      const announcement = () => {
        const account = owner()
        return account && { name: name(), handle: account.handle, port }
      }
      discovery = startDiscovery({ announcement, network, log })
    },
    computers: () => discovery?.look() ?? [],
    pairings: () =>
      current()
        .filter(({ other }) => other.nonce !== undefined)
        .map(view),
    async ask(id) {
      const mine = { card: myCard(), nonce: newNonce() }
      const computer = discovery?.look().find((one) => one.id === id)
      if (!computer) throw new XrpcError('ComputerNotFound', 'This computer is no longer on the network')
      const pairing = randomBytes(16).toString('hex')
      const answer = await call(computer.url, 'propose', {
        ...{ id: pairing, commitment: commitmentTo(mine), card: mine.card },
      })
      const { card, nonce } = answer
      const isOther = isCard(card) && card.did !== mine.card.did && card.port === portOf(computer.url)
      if (!isOther || typeof nonce !== 'string' || nonce.length > 100) {
        throw new XrpcError(
          'PairingFailed',
          'The other computer answered in a form that this one does not know',
        )
      }
      const { hostname: address } = new URL(computer.url)
      const entry = add({ id: pairing, isAsking: true, address, mine, other: { card, nonce } })
      await call(computer.url, 'reveal', { id: pairing, nonce: mine.nonce }).catch((error: unknown) => {
        entries.delete(pairing)
        throw error
      })
      return view(entry)
    },
    async answer(id, isSame) {
      const entry = find(id)
      if (!isSame) entry.isDeclined = true
      await call(entry.url, 'conclude', { id, isSame }).catch((error: unknown) => {
        // To decline, no answer of the other one is needed. To confirm it is: the person can try again.
        if (isSame) throw error
      })
      if (isSame) entry.confirmedHere = true
      return view(entry)
    },
    forget(id) {
      entries.delete(id)
    },

    propose(from, { id, commitment, card }) {
      checkSender(from)
      const mine = { card: myCard(), nonce: newNonce() }
      const others = current()
      const ofAddress = others.filter(({ address, isAsking }) => address === from.address && !isAsking)
      if (others.length >= maxPairings || ofAddress.length >= maxPerAddress || entries.has(id)) {
        throw new XrpcError(
          'TooManyPairings',
          'Other computers are connecting with this one. Try again in a few minutes.',
        )
      }
      add({ id, isAsking: false, address: from.address, mine, other: { card, commitment } })
      return mine
    },
    reveal(from, id, nonce) {
      checkSender(from)
      const { other } = find(id, from.address)
      if (other.nonce !== undefined || other.commitment !== commitmentTo({ card: other.card, nonce })) {
        entries.delete(id)
        throw new XrpcError('WrongCommitment', 'The number does not match its commitment')
      }
      other.nonce = nonce
    },
    conclude(from, id, isSame) {
      checkSender(from)
      const entry = find(id, from.address)
      if (isSame) entry.confirmedThere = true
      // The other one has taken its own request back: it makes room for the next.
      else if (!entry.isAsking && !entry.confirmedHere) entries.delete(id)
      else entry.isDeclined = true
    },
    close() {
      discovery?.close()
    },
  }
}

function stateOf({ isDeclined, confirmedHere, confirmedThere }: Entry): PairingState {
  if (isDeclined) return 'declined'
  if (!confirmedHere) return 'compare'
  return confirmedThere ? 'agreed' : 'confirmed'
}

/** Checks the self-description of another server. */
function isCard(value: unknown): value is Card {
  if (!isObject(value)) return false
  const { did, handle, name, port } = value
  const texts = [did, handle, name].every((text) => typeof text === 'string' && text.length <= 2048)
  return texts && isPort(port) && isValidDid(String(did)) && isValidHandle(String(handle))
}

function portOf(url: string): number {
  return Number(new URL(url).port || 80)
}
