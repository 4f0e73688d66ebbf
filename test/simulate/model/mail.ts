/** Email addresses of accounts, and the codes that are mailed to them. */
import type { Person } from './person.ts'
import { all, lasts, type Span, type Truth } from './time-span.ts'

export interface Mailbox {
  readonly address: string
  readonly isConfirmed: boolean
}

export const purposes = ['resetPassword', 'confirmEmail', 'updateEmail', 'deleteAccount'] as const
export type Purpose = (typeof purposes)[number]

export interface MailCode {
  readonly purpose: Purpose
  readonly text: string
  readonly mailed: Span
  /** Whether it was neither used nor cancelled. */
  isOpen: Truth
  /** Wrong codes that were entered in its place, at most. */
  wrong: number
}

const codeMs = 15 * 60_000
/** After so many wrong codes, the right one does not count. */
const mostWrong = 5

/** Returns the address of an account; undefined while it is not known. */
export function addressOf({ mailboxes }: Person): string | undefined {
  const [first] = mailboxes
  return mailboxes.every(({ address }) => address === first?.address) ? first?.address : undefined
}

/** Whether a code works for a purpose during a call. */
export function codeWorks(code: MailCode, purpose: Purpose, during: Span): Truth {
  if (code.purpose !== purpose) return 'no'
  return all(code.isOpen, code.wrong < mostWrong ? 'yes' : 'maybe', lasts(code.mailed, codeMs, during))
}

/** Codes count no more, because one was used. @param purpose of these; undefined: of all */
export function closeCodes({ mailed }: Person, how: 'no' | 'maybe', purpose?: Purpose): void {
  for (const code of mailed)
    if (code.isOpen !== 'no' && (purpose === undefined || code.purpose === purpose)) code.isOpen = how
}

/** A wrong code was entered. */
export function countWrong({ mailed }: Person, purpose: Purpose): void {
  for (const code of mailed) if (code.purpose === purpose) code.wrong++
}

/** The clock of the server was set. */
export function doubtCodes(person: Person): void {
  closeCodes(person, 'maybe')
}
