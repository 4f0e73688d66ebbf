/** Mail leaves by SMTP where it is configured; what SMTP does not take, and everything else, goes to the outbox. */

import type { SendMailOptions } from 'nodemailer'
import type { Logger } from '../util/log.ts'
import { isEmailAddress, parseMailbox } from './address.ts'
import {
  CODE_HEADER,
  deleteMessage,
  FAILURE_HEADER,
  listOutbox,
  PURPOSE_HEADER,
  writeMessage,
} from './outbox.ts'
import type { MailPurpose } from './templates.ts'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly purpose: MailPurpose
  readonly code?: string
}

export interface Mailer {
  /**
   * Resolves once the mail server has the message, or the outbox on disk.
   * @throws {TypeError} when `to` is not one plain address or `subject` is not one line.
   */
  send(mail: Mail): Promise<void>
  /** Removes what the outbox holds for an address from before a time: what came later is for another account. */
  forget(to: string, before: Date): Promise<void>
  /** Ends SMTP: messages that the mail server has not accepted yet, and all later ones, go to the outbox. */
  close(): Promise<void>
}

export interface MailerOptions {
  readonly smtpUrl: string | undefined
  /** `address` or `Name <address>`. */
  readonly from: string
  readonly dataDir: string
  readonly now: () => Date
  readonly log: Logger
  /** For one message, from the look-up of the mail server's name to its last word; in milliseconds. */
  readonly smtpTimeout?: number
  /** Called when a message is in the outbox. */
  readonly onKept?: (() => void) | undefined
}

const usualTimeout = 20_000
const stopped = 'The server was stopped before the mail server accepted the message'

export function createMailer(options: MailerOptions): Mailer {
  const { smtpUrl, dataDir, now, log, smtpTimeout = usualTimeout, onKept } = options
  const from = parseMailbox(options.from)
  if (!from) throw new TypeError('The sender is not an email address.')
  const closing = new AbortController()
  const underway = new Set<Promise<void>>()
  let lastTime = 0

  async function deliver(mail: Mail): Promise<void> {
    const at = tick()
    const message = { from, ...compose(mail), date: at }
    let failure: string | undefined
    if (smtpUrl !== undefined) {
      const signal = AbortSignal.any([AbortSignal.timeout(smtpTimeout), closing.signal])
      failure = closing.signal.aborted ? stopped : await sendBySmtp(smtpUrl, { ...message, signal })
      if (failure !== undefined && closing.signal.aborted) failure = stopped
      if (failure === undefined) return log.info({ purpose: mail.purpose }, 'mail sent')
    }
    const headers = {
      [PURPOSE_HEADER]: mail.purpose,
      ...(mail.code !== undefined && { [CODE_HEADER]: mail.code }),
      ...(failure !== undefined && { [FAILURE_HEADER]: failure }),
    }
    const { createTransport } = await nodemailer()
    const file = createTransport({ streamTransport: true, newline: 'windows' })
    const written = await file.sendMail({ ...message, headers: { ...message.headers, ...headers } })
    await writeMessage(dataDir, at, written.message)
    onKept?.()
    const level = failure === undefined ? 'info' : 'warn'
    log[level]({ purpose: mail.purpose, failure }, 'mail kept in the outbox')
  }

  /** The outbox is in the order of sending even within one millisecond. */
  function tick(): Date {
    lastTime = Math.max(now().getTime(), lastTime + 1)
    return new Date(lastTime)
  }

  return {
    async send(mail) {
      if (!isEmailAddress(mail.to)) throw new TypeError('The recipient is not one plain email address.')
      if (/\p{Cc}/u.test(mail.subject)) throw new TypeError('The subject is not one line.')
      const delivery = deliver(mail)
      underway.add(delivery)
      try {
        await delivery
      } finally {
        underway.delete(delivery)
      }
    },
    async forget(to, before) {
      for (const { id, at, to: addressee } of await listOutbox(dataDir)) {
        if (addressee === to && at < before.toISOString()) await deleteMessage(dataDir, id)
      }
    },
    async close() {
      closing.abort()
      await Promise.allSettled(underway)
    },
  }
}

/**
 * Sends a message by SMTP and keeps nothing: tells whether the settings of a mail server work.
 * @param from `address` or `Name <address>`
 * @returns why it did not work, in the words of the mail server; undefined when it has the message
 */
export async function tryMailServer(
  smtpUrl: string,
  from: string,
  mail: Pick<Mail, 'to' | 'subject' | 'text'>,
): Promise<string | undefined> {
  const sender = parseMailbox(from)
  if (!sender) throw new TypeError('The sender is not an email address.')
  if (!isEmailAddress(mail.to)) throw new TypeError('The recipient is not one plain email address.')
  return sendBySmtp(smtpUrl, { from: sender, ...compose(mail), signal: AbortSignal.timeout(usualTimeout) })
}

/** @returns why it did not work, in one line */
async function sendBySmtp(smtpUrl: string, message: SendMailOptions): Promise<string | undefined> {
  const { createTransport } = await nodemailer()
  const smtp = createTransport({ url: smtpUrl, requireTLS: needsTls(smtpUrl) })
  return smtp.sendMail(message).then(() => undefined, oneLine)
}

/** Loaded with the first message: it takes some 25 MB, which a server that sends no mail can do without. */
const nodemailer = () => import('nodemailer')

/** Credentials do not cross a network in the clear, unless the URL itself says so: its `?requireTLS=false` goes first. */
function needsTls(smtpUrl: string): boolean {
  const { username, hostname } = new URL(smtpUrl)
  return username !== '' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

function compose({ to, subject, text }: Pick<Mail, 'to' | 'subject' | 'text'>) {
  return {
    to,
    subject,
    text,
    textEncoding: 'quoted-printable' as const,
    // Keeps holiday notices from answering (RFC 3834 §5).
    headers: { 'Auto-Submitted': 'auto-generated' },
    // Else the library spells them X-Pds-.
    normalizeHeaderKey: (key: string) => key.replace(/^X-Pds-/, 'X-PDS-'),
  }
}

/** A mail server's answer may span lines and be in any language; a header field may not. */
function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replace(/[^ -~]+/g, ' ').slice(0, 500)
}
