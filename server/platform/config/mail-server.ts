/** A mail server as people fill it in, and its conversion to the settings of the server: an SMTP URL and a sender. */

import { isEmailAddress } from '../mail/address.ts'
import { defaultText, problemWith } from './config.ts'
import { portProblem } from './kept-settings.ts'

/** If the host is empty, messages stay in the outbox. */
export interface MailServer {
  readonly host: string
  readonly port: string
  readonly security: 'tls' | 'starttls' | 'none'
  readonly user: string
  /** `address` or `Name <address>`. */
  readonly from: string
}

/** A sentence per field with a wrong value. */
export type MailServerProblems = { readonly [Name in keyof MailServer]?: string }

export const noMailServer: MailServer = { host: '', port: '', security: 'tls', user: '', from: '' }

const schemes = { tls: 'smtps', starttls: 'smtp', none: 'smtp' } as const
/** Default ports (RFC 8314 §3, RFC 6409 §3.1). */
const usualPorts = { tls: '465', starttls: '587', none: '25' } as const
const options = { tls: '', starttls: '?requireTLS=true', none: '?ignoreTLS=true&requireTLS=false' } as const

export function problemsOfMailServer({ host, port, from }: MailServer): MailServerProblems {
  const hostProblem = host.includes(',') ? 'This must be one host name.' : problemWith('hostnames', host)
  const wrongPort = portProblem(port)
  const fromProblem = problemWith('mailFrom', from)
  return {
    ...(hostProblem && { host: 'This must be a host name, such as mail.example.com.' }),
    ...(wrongPort && { port: wrongPort }),
    ...(fromProblem && { from: fromProblem }),
  }
}

const labels = {
  host: 'Mail server',
  port: 'Port',
  security: 'Encryption',
  user: 'User name',
  from: 'Sender',
}

/** Returns the first problem with the name of its field, or what else keeps a test message from being sent. */
export function testProblem(server: MailServer, to: string): string | undefined {
  const [wrong] = Object.entries(problemsOfMailServer(server)) as [keyof MailServer, string][]
  if (wrong) return `${labels[wrong[0]]}: ${wrong[1]}`
  if (server.host === '') return 'Fill in the mail server first.'
  return isEmailAddress(to) ? undefined : 'The recipient is not an email address.'
}

/** Returns the texts of the server's settings. If the host is empty, the SMTP URL is empty. */
export function mailTexts(
  { host, port, security, user, from }: MailServer,
  password: string | undefined,
): { readonly smtpUrl: string; readonly mailFrom: string } {
  if (host === '') return { smtpUrl: '', mailFrom: from }
  const login = user === '' ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password ?? '')}@`
  const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  const smtpUrl = `${schemes[security]}://${login}${bracketed}:${port || usualPorts[security]}/${options[security]}`
  return { smtpUrl, mailFrom: from }
}

/** The opposite of `mailTexts`. Usual ports are left out; a password in the URL, too. */
export function mailServerOf(smtpUrl: string, mailFrom: string): MailServer {
  if (smtpUrl === '') return { ...noMailServer, from: mailFrom }
  const { protocol, hostname, port, username, searchParams } = new URL(smtpUrl)
  const plain = searchParams.get('ignoreTLS') === 'true' ? 'none' : 'starttls'
  const security = protocol === 'smtps:' ? 'tls' : plain
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === usualPorts[security] ? '' : port,
    security,
    user: decodeURIComponent(username),
    from: mailFrom,
  }
}

/** The sender, or the default of the server. */
export function senderOf({ from }: MailServer): string {
  return from || defaultText('mailFrom', process.env)
}
