/** Calls of the page. Each service declares its own beside it, by channel: the check of the arguments, and the handler. */

import { sentenceOf } from '../../server/operation/replicas/restores/sentence.ts'
import type { Channel, DesktopCalls, Outcome } from './bridge.ts'

type Accepts<A extends unknown[]> = (given: readonly unknown[]) => given is A
type OnError = (error: unknown) => void

interface Call<A extends unknown[], T> {
  readonly accepts: Accepts<A>
  /** @param onError called with an error whose sentence is the result */
  handle(given: A, onError: OnError): Promise<T>
}

export type Calls = {
  readonly [C in Channel]: Call<Parameters<DesktopCalls[C]>, ReturnType<DesktopCalls[C]>>
}

/** The calls whose channels begin with one of the prefixes: a missing or an additional one is an error of its types. */
export type CallsOf<Prefix extends string> = Pick<Calls, Extract<Channel, `${Prefix}.${string}`>>

export function call<A extends unknown[], T>(
  accepts: Accepts<A>,
  work: (...given: A) => T | Promise<T>,
): Call<A, T> {
  return { accepts, handle: async (given) => work(...given) }
}

/** A call with an outcome: the value that the work returns, or the sentence of the error that it throws. */
export function outcome<A extends unknown[], T>(
  accepts: Accepts<A>,
  work: (...given: A) => T | Promise<T>,
): Call<A, Outcome<T>> {
  return {
    accepts,
    async handle(given, onError) {
      try {
        return { ok: true, value: await work(...given) }
      } catch (error) {
        onError(error)
        return { ok: false, message: sentenceOf(error) }
      }
    },
  }
}
