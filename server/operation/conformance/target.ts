/** The server that is measured, and what its requirements share. */
import { createHttp, type Http } from './http.ts'

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
  /** Returns the code in the newest message to an address. */
  readonly readCode?: ((email: string) => Promise<string | undefined>) | undefined
}

export interface Target extends Http, Omit<TargetOptions, 'url'> {
  /** Origin of the server. */
  readonly url: string
  /** Registers what is called at the end, in reverse order. */
  defer(work: () => Promise<unknown>): void
  /** Does the deferred work. @returns the errors of work that failed */
  close(): Promise<readonly string[]>
}

export const publicDirectory = 'https://plc.directory'

export function createTarget(options: TargetOptions): Target {
  const url = new URL(options.url).origin
  const deferred: (() => Promise<unknown>)[] = []
  return {
    ...options,
    ...createHttp(url),
    url,
    defer: (work) => void deferred.push(work),
    async close() {
      const errors: string[] = []
      for (const work of deferred.splice(0).reverse())
        await work().catch((error: Error) => errors.push(error.message))
      return errors
    },
  }
}

/** Shares a result, or the reason of its absence, among all requirements of a server. */
export function shared<Result>(
  load: (target: Target) => Promise<Result>,
): (target: Target) => Promise<Result> {
  const results = new WeakMap<Target, Promise<Result>>()
  return (target) => {
    const known = results.get(target) ?? load(target)
    results.set(target, known)
    return known
  }
}
