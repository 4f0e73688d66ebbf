/** A place for continuous copies on the simulated network: a WebDAV server, or S3-compatible storage. It fails as asked. */
import '../../../server/operation/replicas/places/s3.ts'
import '../../../server/operation/replicas/places/webdav.ts'
import { ReplicaKey } from '../../../server/operation/replicas/replica-key.ts'
import { type Fault, type Response, S3Server, WebdavServer } from '../../support/replicas/place-server.ts'
import { createRandom, type Random } from '../../support/replicas/random.ts'
import { flipped } from '../../support/replicas/simulated-place.ts'
import type { Process, Wire } from './wire.ts'

/** What a place does with some of the requests. */
export const moods = [
  /** It cuts connections. */
  'absent',
  /** It answers that it is busy. */
  'busy',
  /** It takes uploads and does not answer them. */
  'silent',
  'full',
  /** Its lists lack entries. */
  'lists less',
  /** It keeps half of an upload, as its lists show. */
  'keeps half',
  /** An object arrives with a wrong byte. */
  'wrong byte',
] as const

/** Of these, some wait for their act. */
export type Mood = (typeof moods)[number] | 'wrong byte of media' | 'lists less once'
export type Kind = 'webdav' | 's3'

/** Every machine has this key: names of objects follow from it, and the traces of two runs are the same. */
export const identity = 'AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX'

/** The key of a computer that has not restored anything yet. */
export const otherIdentity = 'AGE-SECRET-KEY-1M6HY30RRC57JN0M3A4L0Z9VS82MLX76KE9DFT6J9LCSG27XSF7LS337CDA'

let key: Promise<ReplicaKey> | undefined

/** Loads the library of the encryption with the first call. */
export function keyOfCopies(): Promise<ReplicaKey> {
  key ??= ReplicaKey.parse(identity)
  return key
}

/** Objects per page of a list of S3-compatible storage: some lists have two pages. */
const pageSize = 12

/** Files that a copy had at a time, when it was restored with all that it needed. */
export interface CompletePoint {
  readonly at: Date
  readonly files: ReadonlySet<string>
}

export class PlaceHost {
  readonly kind: Kind
  /** Its node of the wire. */
  readonly name: string
  /** Whether the machine copies to it. */
  isUsed = false
  /** Whether it may have lost or damaged objects since the last proof. */
  isDoubtful = false
  /** The last ones, of objects that were not damaged since. */
  complete: readonly CompletePoint[] = []
  readonly #server: WebdavServer | S3Server
  readonly #process: Process
  #mood: { readonly kind: Mood; readonly random: Random } | undefined

  constructor(machine: string, kind: Kind, wire: Wire) {
    this.kind = kind
    this.name = `${machine}-${kind}`
    this.#process = { node: this.name, isDead: false }
    this.#server = kind === 'webdav' ? new WebdavServer() : Object.assign(new S3Server(), { pageSize })
    Object.defineProperty(this.#server, 'host', { value: `${this.name}.localhost` })
    this.#server.fault = (call) => this.#faultOf(call)
    this.#server.around = (call, respond, body) => this.#respond(call, respond, body)
    wire.listen(`${this.name}.localhost`, this.#process, (socket) => this.#server.accept(socket))
  }

  get url(): string {
    return this.#server.address
  }

  get credentials(): object {
    return this.#server instanceof S3Server ? this.#server.credentials : { password: this.#server.password }
  }

  /** What it truly has, by the names of the objects. */
  get objects(): Map<string, Buffer> {
    const { length } = this.#prefix
    return new Map([...this.#server.objects].map(([path, bytes]) => [path.slice(length), bytes]))
  }

  fail(mood: Mood, seed: number): void {
    this.#mood = { kind: mood, random: createRandom(seed) }
  }

  heal(): void {
    this.#mood = undefined
  }

  get isWell(): boolean {
    return this.#mood === undefined
  }

  /** Flips a bit of an object, or loses it. @returns its name */
  damage(random: Random, isLost: boolean): string | undefined {
    const names = [...this.objects.keys()].sort()
    if (names.length === 0) return undefined
    const name = random.pick(names)
    const bytes = this.#server.objects.get(this.#prefix + name) as Buffer
    if (isLost) this.#server.objects.delete(this.#prefix + name)
    else this.#server.objects.set(this.#prefix + name, Buffer.from(flipped(bytes, random.next())))
    this.isDoubtful = true
    this.complete = []
    return name
  }

  /** Flips a bit of an object. @returns a function that puts the object back unless it was replaced */
  flip(name: string, random: Random): () => void {
    const { objects } = this.#server
    const path = this.#prefix + name
    const before = objects.get(path) as Buffer
    const damaged = Buffer.from(flipped(before, random.next()))
    objects.set(path, damaged)
    return () => {
      if (objects.get(path) === damaged) objects.set(path, before)
    }
  }

  /** As when its disk is not connected. @returns a function that connects it */
  empty(): () => void {
    const { objects } = this.#server
    const all = [...objects]
    objects.clear()
    return () => {
      objects.clear()
      for (const [path, bytes] of all) objects.set(path, bytes)
    }
  }

  get #prefix(): string {
    return this.kind === 'webdav' ? '/dav/copy/' : 'my copy/'
  }

  #isHit(kind: Mood, share = 0.5): boolean {
    return this.#mood?.kind === kind && this.#mood.random.chance(share)
  }

  #faultOf(call: string): Fault | undefined {
    if (this.#isHit('absent', 0.9)) return 'cut'
    if (this.#isHit('busy', 0.9)) return { status: 503 }
    if (!call.startsWith('PUT')) return undefined
    if (this.#isHit('silent', 0.3)) return 'silent'
    return this.#isHit('full', 0.8) ? { status: 507 } : undefined
  }

  #respond(call: string, respond: () => Response, body: Buffer): Response {
    if (call.startsWith('PUT') && this.#isHit('keeps half')) return this.#keepHalf(respond, body)
    if (isListing(call) && this.#isHit('lists less')) return this.#listLess(respond)
    if (isListing(call) && call.includes('media') && this.#isHit('lists less once', 0.5)) {
      this.heal()
      return this.#listLess(respond, true)
    }
    const response = respond()
    const { status, body: content } = response
    const isObject = Buffer.isBuffer(content) && content.length > 0
    const isWrong =
      this.#isHit('wrong byte') || (call.includes('media') && this.#isHit('wrong byte of media', 0.7))
    if (status !== 200 || !isObject || !isWrong) return response
    return { ...response, body: Buffer.from(flipped(content, this.#mood?.random.next() ?? 0)) }
  }

  #keepHalf(respond: () => Response, body: Buffer): Response {
    const { objects } = this.#server
    const before = new Map(objects)
    const response = respond()
    for (const [path, bytes] of objects) {
      if (bytes === body && before.get(path) !== body) objects.set(path, body.subarray(0, body.length >> 1))
    }
    return response
  }

  #listLess(respond: () => Response, isAlways = false): Response {
    const { objects } = this.#server
    const all = [...objects]
    const isNothing = isAlways || this.#isHit('lists less', 0.3)
    for (const [path] of all) if (isNothing || this.#isHit('lists less')) objects.delete(path)
    const response = respond()
    objects.clear()
    for (const [path, bytes] of all) objects.set(path, bytes)
    return response
  }
}

/** Whether a request asks for a list. */
function isListing(call: string): boolean {
  return call.startsWith('PROPFIND') || (call.startsWith('GET') && call.includes('list-type'))
}
