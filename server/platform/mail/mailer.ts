/** Sends mail by SMTP if it is configured. Otherwise, and when SMTP fails, messages go to the outbox. */

import type { Socket } from 'node:net'
import type { SendMailOptions } from 'nodemailer'
import { type Files, nodeFiles } from '../../store/files/files.ts'
import { deadlineSignal, setDeadline } from '../../util/deadlines.ts'
import type { Logger } from '../../util/log.ts'
import { randomId } from '../../util/random.ts'
import { connectionOptions } from '../network/connections.ts'
import { mayReach } from '../network/guard.ts'
import { isEmailAddress, parseMailbox } from './address.ts'
import {
  CODE_HEADER,
  eraseMessage,
  FAILURE_HEADER,
  listOutbox,
  PURPOSE_HEADER,
  writeMessage,
} from './outbox.ts'
import { smtpFailure } from './smtp-failure.ts'
import type { MailPurpose } from './templates.ts'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** `message` is a message of an administrator, `notice` reports a change. */
  readonly purpose: MailPurpose | 'message' | 'notice'
  readonly code?: string
}

export interface Mailer {
  /**
   * Resolves when the mail server has accepted the message, or the outbox has it on disk.
   * @throws {TypeError} unless `to` is one plain address and `subject` one line
   */
  send(mail: Mail): Promise<void>
  /** Deletes messages to an address from the outbox, except those after `before`, which are for another account. */
  deleteMessages(to: string, before: Date): Promise<void>
  /**
   * Aborts SMTP: messages under way, and all later ones, go to the outbox. Notices, for which no response waits, have five seconds:
   * one reports a change of the mail server, which starts this server again. May be called twice.
   */
  close(): Promise<void>
}

export interface MailerOptions {
  readonly smtpUrl: string | undefined
  /** `address` or `Name <address>`. */
  readonly from: string
  readonly dataDir: string
  /** The file system of the data folder. */
  readonly files?: Files | undefined
  readonly now: () => Date
  readonly log: Logger
  /** Time limit for one message, from the DNS look-up to the last reply; in milliseconds. */
  readonly smtpTimeout?: number
  /** Called when a message is in the outbox, on disk. */
  readonly onKept?: (() => void) | undefined
}

const defaultTimeout = 20_000
const lastNoticeMs = 5000
const stopped = 'The server was stopped before the mail server accepted the message'

export function createMailer(options: MailerOptions): Mailer {
  const { smtpUrl, dataDir, files = nodeFiles, now, log, smtpTimeout = defaultTimeout, onKept } = options
  const from = parseMailbox(options.from)
  if (!from) throw new TypeError('The sender must be an email address')
  const domain = from.address.replace(/^.*@/, '')
  const closing = new AbortController()
  const closingNotices = new AbortController()
  const running = new Set<Promise<void>>()
  let lastTime = 0

  async function deliver(mail: Mail): Promise<void> {
    const at = tick()
    const messageId = `<${randomId()}@${domain}>`
    const message = { from, ...compose(mail), date: at, messageId }
    let failure: string | undefined
    if (smtpUrl !== undefined) {
      const closed = mail.purpose === 'notice' ? closingNotices.signal : closing.signal
      const signal = AbortSignal.any([deadlineSignal(smtpTimeout), closed])
      failure = closed.aborted ? stopped : await sendBySmtp(smtpUrl, { ...message, signal })
      if (failure !== undefined && closed.aborted) failure = stopped
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
    await writeMessage(dataDir, at, written.message, files)
    onKept?.()
    const level = failure === undefined ? 'info' : 'warn'
    log[level]({ purpose: mail.purpose, failure }, 'mail kept in the outbox')
  }

  /** Returns a later time with each call: the outbox is in the order of sending, even within one millisecond. */
  function tick(): Date {
    lastTime = Math.max(now().getTime(), lastTime + 1)
    return new Date(lastTime)
  }

  return {
    async send(mail) {
      if (!isEmailAddress(mail.to)) throw new TypeError('The recipient must be one plain email address')
      if (/\p{Cc}/u.test(mail.subject)) throw new TypeError('The subject must be one line')
      const delivery = deliver(mail)
      running.add(delivery)
      try {
        await delivery
      } finally {
        running.delete(delivery)
      }
    },
    async deleteMessages(to, before) {
      for (const { id, at, to: addressee } of await listOutbox(dataDir, files)) {
        if (addressee === to && at < before.toISOString()) await eraseMessage(dataDir, id, files)
      }
    },
    async close() {
      if (!closing.signal.aborted) setDeadline(() => closingNotices.abort(), lastNoticeMs).unref()
      closing.abort()
      await Promise.allSettled(running)
    },
  }
}

export const testMessage = {
  subject: 'A test of your mail settings',
  text: 'Your personal data server can send mail.\n',
} as const

/**
 * Sends a message by SMTP, to test the settings of a mail server. The outbox is not used.
 * @param from `address` or `Name <address>`
 * @returns the error as a sentence; undefined if it accepted the message
 */
export async function tryMailServer(
  smtpUrl: string,
  from: string,
  mail: Pick<Mail, 'to' | 'subject' | 'text'>,
): Promise<string | undefined> {
  const sender = parseMailbox(from)
  if (!sender) throw new TypeError('The sender must be an email address')
  if (!isEmailAddress(mail.to)) throw new TypeError('The recipient must be one plain email address')
  return sendBySmtp(smtpUrl, { from: sender, ...compose(mail), signal: deadlineSignal(defaultTimeout) })
}

type GetSocket = (error: null, socket: { readonly connection: Socket }) => void

/** @returns the error in one line; undefined if the mail server accepted the message */
async function sendBySmtp(smtpUrl: string, message: SendMailOptions): Promise<string | undefined> {
  const host = new URL(smtpUrl).hostname.replace(/^\[|\]$/g, '')
  if (!mayReach(host)) return `${host}: this network for tests stays on this computer`
  const { createTransport } = await nodemailer()
  const simulated = connectionOptions(new URL(smtpUrl))
  const smtp = createTransport({
    ...{ url: smtpUrl, requireTLS: needsTls(smtpUrl) },
    ...(simulated && {
      getSocket: (_: object, done: GetSocket) =>
        done(null, { connection: simulated.createConnection() as Socket }),
    }),
  })
  return smtp.sendMail(message).then(
    () => undefined,
    (error: unknown) => smtpFailure(new URL(smtpUrl), error),
  )
}

/** Loaded with the first message, because it takes 25 MB. */
const nodemailer = () => import('nodemailer')

/** Over a network, credentials are sent encrypted only; `?requireTLS=false` in the URL permits the other way. */
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
    // Prevents automatic replies (RFC 3834 §5).
    headers: { 'Auto-Submitted': 'auto-generated' },
    // By default the library writes X-Pds-.
    normalizeHeaderKey: (key: string) => key.replace(/^X-Pds-/, 'X-PDS-'),
  }
}
