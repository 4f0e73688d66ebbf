/** A push service: it gets the notifications of devices, answers, fails, or says that a device was removed. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setDeadline } from '../../../server/util/deadlines.ts'
import type { Person } from '../model/person.ts'
import type { Machine } from './machine.ts'
import { readBody, ServiceHost, sendJson } from './service-host.ts'
import { ServiceTokens } from './service-token.ts'
import type { World } from './world.ts'

export const pushMoods = ['well', 'slow', 'busy', 'errs', 'refuses', 'redirects', 'silent', 'cuts'] as const
export type PushMood = (typeof pushMoods)[number]

/** A notification that has arrived. */
export interface Push {
  readonly did: string
  /** Of the device. */
  readonly token: string
  readonly notification: {
    readonly uri: string
    readonly reason: string
    readonly indexedAt: string
    readonly author: { readonly did: string }
  }
}

/** The process that has sent something, and the faults of its disk so far. */
export type Sender = string

export function senderOf({ starts, faults }: Machine): Sender {
  return `${starts} ${faults}`
}

const method = 'app.example.notification.deliverPush'
const slowMs = 5000

const answers: Readonly<Record<PushMood, (res: ServerResponse) => unknown>> = {
  well: (res) => sendJson(res, 200, {}),
  slow: (res) => setDeadline(() => sendJson(res, 200, {}), slowMs),
  busy: (res) => res.writeHead(503, { 'retry-after': '30' }).end(),
  errs: (res) => sendJson(res, 500, {}),
  refuses: (res) => sendJson(res, 400, {}),
  redirects: (res) => res.writeHead(302, { location: 'http://one.localhost/' }).end(),
  silent: () => {},
  cuts: (res) => res.destroy(),
}

export class PushService {
  readonly host: ServiceHost
  mood: PushMood = 'well'
  /** Whether it has answered every push since the last check. */
  wasWell = true
  /** The first rule that a server has broken. */
  broken: string | undefined
  /** Those that the service has, by `keyOf`, with their senders. */
  readonly delivered = new Map<string, Sender>()
  readonly #tokens: ServiceTokens
  readonly #judge: (push: Push, person: Person) => string | undefined
  /** Devices that were removed, with the sender that knows of it. */
  readonly #removed = new Map<string, Sender | undefined>()

  /** @param judge returns the rule that a push breaks */
  constructor(world: World, judge: (push: Push, person: Person) => string | undefined) {
    this.#tokens = new ServiceTokens(world)
    this.#judge = judge
    this.host = new ServiceHost('push', world.wire, (req, res) => void this.#respond(req, res))
  }

  /** A device has unregistered at the service. */
  lose(token: string): void {
    this.#removed.set(token, undefined)
  }

  wasRemoved(token: string): boolean {
    return this.#removed.has(token)
  }

  heal(): void {
    this.mood = 'well'
  }

  async #respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.url === '/.well-known/did.json') return this.#describe(res)
    const body = await readBody(req)
    if (!body) return
    try {
      const check = { audience: this.host.did, lxm: method }
      const { iss, person } = await this.#tokens.check(req.headers.authorization, check)
      const push: Push = JSON.parse(body.toString())
      if (push.did !== iss) throw new Error(`a push of ${push.did} has a token of ${iss}`)
      if (!person) throw new Error(`${iss} does not exist`)
      this.#note(push, person)
      this.#answer(res, push, senderOf(person.machine))
    } catch (error) {
      this.broken ??= (error as Error).message
      sendJson(res, 400, {})
    }
  }

  #describe(res: ServerResponse): void {
    const service = [{ id: '#notif', type: 'PushService', serviceEndpoint: this.host.url }]
    const send = () => sendJson(res, 200, { id: this.host.did, service })
    if (this.mood !== 'well') this.wasWell = false
    if (this.mood === 'slow') setDeadline(send, slowMs)
    else if (this.mood !== 'silent') send()
  }

  /** @throws Error with the rule that it breaks */
  #note(push: Push, person: Person): void {
    const { token, notification } = push
    const words = `${notification.reason} ${notification.uri} to ${token}`
    const rule = this.#judge(push, person)
    if (rule !== undefined) throw new Error(`${words}: ${rule}`)
    const sender = senderOf(person.machine)
    if (this.delivered.get(keyOf(push)) === sender) throw new Error(`${words} is sent twice`)
    if (this.#removed.get(token) === sender) throw new Error(`${words}, which has been removed`)
  }

  #answer(res: ServerResponse, push: Push, sender: Sender): void {
    const { mood } = this
    if (this.#removed.has(push.token)) {
      this.#removed.set(push.token, sender)
      sendJson(res, 410, {})
      return
    }
    if (mood === 'well') this.delivered.set(keyOf(push), sender)
    // The server may end its wait, and send it again.
    if (mood === 'slow') this.delivered.set(keyOf(push), 'any')
    if (mood !== 'well') this.wasWell = false
    answers[mood](res)
  }
}

export function keyOf({ token, notification: { uri, reason, indexedAt } }: Push): string {
  return `${token} ${reason} ${uri} ${indexedAt}`
}
