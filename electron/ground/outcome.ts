/** Turns the errors of desktop calls into sentences for the person, and logs them. */

import { StoreDamaged } from '../../server/store/files/store-errors.ts'
import type { Logger } from '../../server/util/log.ts'
import type { Channel, DesktopCalls, Outcome } from './bridge.ts'

export type Handlers<C extends Channel> = {
  readonly [N in C]: (...args: Parameters<DesktopCalls[N]>) => Promise<ReturnType<DesktopCalls[N]>>
}

type Work<C extends Channel> = {
  readonly [N in C]: (
    ...args: Parameters<DesktopCalls[N]>
  ) => Promise<Extract<ReturnType<DesktopCalls[N]>, { readonly ok: true }>['value']>
}

/** Makes handlers of functions that return the value of an outcome, or throw. */
export function outcomes<C extends Channel>(log: Logger, work: Work<C>): Handlers<C> {
  const entries = Object.entries(work) as [C, (...args: unknown[]) => Promise<unknown>][]
  const handlers = entries.map(([channel, run]) => [
    channel,
    (...args: unknown[]) => outcomeOf(log, channel, () => run(...args)),
  ])
  return Object.fromEntries(handlers)
}

export async function outcomeOf<T>(
  log: Logger,
  channel: Channel,
  work: () => Promise<T>,
): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    log.warn({ err: error, channel }, 'desktop call failed')
    return { ok: false, message: sentenceOf(error) }
  }
}

export function sentenceOf(error: unknown): string {
  // Its own message names commands for the terminal.
  if (error instanceof StoreDamaged) return `${error.file} ${error.reason}. Nothing was changed.`
  return error instanceof Error ? error.message : String(error)
}
