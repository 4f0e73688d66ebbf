/** The server that is measured, and what its requirements share. */
import { realElapsed } from '../../util/deadlines.ts'
import type { Answer } from './http.ts'
import { createHttp, type Http } from './http.ts'
import { NoAnswer, plain, Skipped } from './verdict.ts'

export interface Credentials {
  readonly identifier: string
  readonly password: string
}

export interface TargetOptions {
  /** URL of the server. */
  readonly url: string
  /** An account on it, for what needs one. */
  readonly account?: Credentials | undefined
  readonly adminPassword?: string | undefined
  /** URL of the did:plc directory. */
  readonly plcUrl?: string | undefined
  /** Whether accounts may be created: the directory keeps their identities. */
  readonly creates?: boolean | undefined
  /** Whether rate limits may be reached: the address of this computer is refused for a while. */
  readonly reachesLimits?: boolean | undefined
  /** Returns the code in the newest message to an address. */
  readonly readCode?: ((email: string) => Promise<string | undefined>) | undefined
  /** Ends the measurement early; what it wrote is deleted then, too. */
  readonly signal?: AbortSignal | undefined
}

export interface Target extends Http, Omit<TargetOptions, 'url'> {
  /** Origin of the server. */
  readonly url: string
  /** Registers what is called at the end, in reverse order. */
  defer(work: () => Promise<Answer | void>): void
  /** @throws Skipped when the measurement has lasted too long */
  checkTime(): void
  /** Whether the measurement has lasted too long. */
  isLate(): boolean
  /** Whether the server answers any right call. Its refusals prove something then alone. */
  serves(): Promise<boolean>
  /** Does the deferred work. @returns the errors of work that failed, and the calls that were refused */
  close(): Promise<readonly string[]>
}

export const publicDirectory = 'https://plc.directory'

/** Whether a directory is the one whose entries stay for good, in any spelling of its URL. */
export function isPublicDirectory(plcUrl = publicDirectory): boolean {
  return new URL(plcUrl).hostname.replace(/\.$/, '') === new URL(publicDirectory).hostname
}

/** A call that every server answers anyone. */
export const describeServer = '/xrpc/com.atproto.server.describeServer'

/** Minutes of a measurement: a server that answers slowly could make it last for days. */
const maxMinutes = 30
/** Milliseconds for what is deleted at the end. */
const closeMs = 60_000

export function createTarget(options: TargetOptions): Target {
  const url = new URL(options.url).origin
  const plcUrl = options.plcUrl?.replace(/\/+$/, '')
  const deferred: Parameters<Target['defer']>[0][] = []
  let endsAt = realElapsed() + maxMinutes * 60_000
  let isClosing = false
  let hasServed = false
  const isLate = () => realElapsed() > endsAt
  const checkTime = () => {
    if (isLate()) throw new Skipped(`the measurement ended after ${maxMinutes} minutes`)
  }
  const http = createHttp(url, {
    ...{ named: [plcUrl ?? publicDirectory], checkTime },
    secrets: [options.account?.password, options.adminPassword],
    onAnswer({ status }) {
      hasServed ||= status === 200
    },
    ending: () => (isClosing ? undefined : options.signal),
  })
  return {
    ...{ ...options, plcUrl, url, checkTime, isLate },
    ...http,
    async serves() {
      if (!hasServed) await http.send(describeServer).catch(() => undefined)
      return hasServed
    },
    defer: (work) => void deferred.push(work),
    async close() {
      isClosing = true
      endsAt = realElapsed() + closeMs
      const errors: string[] = []
      for (const work of deferred.splice(0).reverse())
        try {
          const answer = await work()
          if (answer && answer.status !== 200) errors.push(plain(`${answer.asked} answered ${answer.status}`))
        } catch (error) {
          errors.push(plain((error as Error).message))
        }
      return errors
    },
  }
}

/** Shares a result, or the reason of its absence, among all requirements of a server. It is loaded again if the server did not answer. */
export function shared<Result>(
  load: (target: Target) => Promise<Result>,
): (target: Target) => Promise<Result> {
  const results = new WeakMap<Target, Promise<Result>>()
  return (target) => {
    const known = results.get(target) ?? load(target)
    results.set(target, known)
    known.catch((error: unknown) => {
      if (error instanceof NoAnswer) results.delete(target)
    })
    return known
  }
}
