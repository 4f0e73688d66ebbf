/** Turns the errors of a desktop call into sentences for the person, and logs them. */

import { StoreDamaged } from '../server/platform/store/errors.ts'
import type { Logger } from '../server/platform/util/log.ts'
import type { Outcome } from './bridge.ts'

export async function outcomeOf<T>(
  log: Logger,
  channel: string,
  work: () => Promise<T>,
): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    log.warn({ err: error, channel }, 'desktop call failed')
    return { ok: false, message: sentenceOf(error) }
  }
}

function sentenceOf(error: unknown): string {
  // Its own message names commands for the terminal.
  if (error instanceof StoreDamaged) return `${error.file} ${error.reason}. Nothing was changed.`
  return error instanceof Error ? error.message : String(error)
}
