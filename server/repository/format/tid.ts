/**
 * TIDs (atproto record key syntax): microseconds since 1970 and a clock identifier, in an alphabet that sorts. They are
 * the default record keys and the revisions of repositories.
 */
import { isValidTid } from '@atproto/syntax'
import { randomInt } from '../../util/random.ts'

const alphabet = '234567abcdefghijklmnopqrstuvwxyz'
const timeLength = 11
const clockLength = 2

/**
 * Returns a TID that sorts after `after`, and after all earlier ones unless the clock was set back by more than a few minutes.
 * The time of `after` may lie in the future: it does not affect later TIDs.
 */
export type NextTid = (after?: string) => string

/** Microseconds. If the last TID is further ahead, the clock was wrong: other servers ignore revisions in the future. */
const maxAhead = 5 * 60 * 1_000_000

export function createTidClock(now: () => Date): NextTid {
  const clock = encode(randomInt(1024), clockLength)
  let last = 0
  return (after) => {
    const present = now().getTime() * 1000
    last = last - present > maxAhead ? present : Math.max(present, last + 1)
    const time = after === undefined ? last : Math.max(last, microsecondsOf(after) + 1)
    return encode(time, timeLength) + clock
  }
}

/** Returns the time of a TID in milliseconds since 1970; undefined for other record keys. */
export function timeOf(rkey: string): number | undefined {
  return isValidTid(rkey) ? Math.floor(microsecondsOf(rkey) / 1000) : undefined
}

/** Returns microseconds since 1970, which fit into 53 bits. */
function microsecondsOf(tid: string): number {
  let time = 0
  for (const digit of tid.slice(0, timeLength)) time = time * 32 + alphabet.indexOf(digit)
  return time
}

function encode(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) {
    text = alphabet.charAt(rest % 32) + text
  }
  return text
}
