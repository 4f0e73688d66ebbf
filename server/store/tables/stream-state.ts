/** Column `stream_state` of `accounts`: whether the event stream reports an account. */
import type { Reader } from '../database.ts'

export const streamStates = {
  /** It was never reported. An imported account is reported once it is activated. */
  unannounced: 0,
  /** Its changes are reported as they happen. */
  live: 1,
} as const

export type StreamState = (typeof streamStates)[keyof typeof streamStates]

/** Whether the event stream reports an account; false if it does not exist. */
export function isLive(db: Reader, did: string): boolean {
  const row = db.get<{ state: StreamState }>('SELECT stream_state AS state FROM accounts WHERE did = ?', [
    did,
  ])
  return row?.state === streamStates.live
}
