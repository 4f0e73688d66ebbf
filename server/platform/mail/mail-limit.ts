/** Limits mail to an address that is not confirmed, in all methods together: an account can name the address of any person. */
import { type Count, Counters } from '../xrpc/counters.ts'

/** Codes for a session, codes for anyone who names the address, and notices of changes. */
type MailKind = 'code' | 'reset' | 'notice'

/**
 * Messages, and seconds. Codes for a reset have the window of their lifetime: when the requests of others have used it up, a code
 * that was mailed to the holder is still valid.
 */
const limits: Readonly<Record<MailKind, readonly [points: number, seconds: number]>> = {
  code: [10, 60 * 60],
  reset: [3, 15 * 60],
  notice: [10, 60 * 60],
}

interface Addressee {
  readonly did: string
  readonly email: string | null
  readonly emailConfirmedAt: string | null
}

/** Counts a message before it is sent. @returns the state of a limit that it exceeds: then it is not sent */
export type CountMail = (kind: MailKind, account: Addressee) => Count | undefined

export function createCountMail(rateLimits: boolean): CountMail {
  const counters = new Map(Object.entries(limits).map(([kind, [, seconds]]) => [kind, new Counters(seconds)]))
  return (kind, { did, email, emailConfirmedAt }) => {
    if (!rateLimits || email === null || emailConfirmedAt !== null) return undefined
    // By account, too: it can name one address after the other.
    const counts = [email, did].map((key) => counters.get(kind)?.add(key))
    return counts.find((state) => state !== undefined && state.count > limits[kind][0])
  }
}
