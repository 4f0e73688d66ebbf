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

/** A sentence per field with a wrong value. `mailPassword`: that of the mail server. */
export type MailServerProblems = { readonly [Name in keyof MailServer | 'mailPassword']?: string }

/** A mail server that is saved or tried. */
export interface MailServerInput {
  readonly mailServer: MailServer
  /** Undefined for the one that is kept, empty for none. */
  readonly mailPassword?: string | undefined
}

export const noMailServer: MailServer = { host: '', port: '', security: 'tls', user: '', from: '' }

const schemes = { tls: 'smtps', starttls: 'smtp', none: 'smtp' } as const
/** Default ports (RFC 8314 §3, RFC 6409 §3.1). */
const usualPorts = { tls: '465', starttls: '587', none: '25' } as const
const options = { tls: '', starttls: '?requireTLS=true', none: '?ignoreTLS=true&requireTLS=false' } as const

export function problemsOfMailServer(server: MailServer): MailServerProblems {
  const { port, from } = server
  const host = hostOf(server)
  const isHost = !host.includes(',') && problemWith('hostnames', host) === undefined
  // Some addresses have no place in a URL, such as one with a zone.
  const { smtpUrl } = mailTexts({ ...server, port: '' }, undefined)
  const isUsable = isHost && problemWith('smtpUrl', smtpUrl) === undefined
  const wrongPort = portProblem(port)
  const fromProblem = problemWith('mailFrom', from)
  return {
    ...(!isUsable && { host: 'This must be a host name, such as mail.example.com.' }),
    ...(wrongPort && { port: wrongPort }),
    ...(fromProblem && { from: fromProblem }),
  }
}

/**
 * As `problemsOfMailServer`, also for a password that would go to another host than the one that it was saved for.
 * @param kept the mail server whose password is kept; undefined if there is none
 */
export function problemsOfInput(
  { mailServer, mailPassword }: MailServerInput,
  kept: MailServer | undefined,
): MailServerProblems {
  const isKeptSent = kept !== undefined && mailPassword === undefined && mailServer.user !== ''
  return {
    ...problemsOfMailServer(mailServer),
    ...(isKeptSent &&
      isOtherHost(mailServer, kept) && {
        mailPassword: 'Enter the password: the saved one is for another mail server.',
      }),
  }
}

/** Returns the password to save: empty to remove the kept one, also if it is for another host, and undefined to keep it. */
export function passwordToSave(
  { mailServer, mailPassword }: MailServerInput,
  before: MailServer,
): string | undefined {
  return mailPassword ?? (isOtherHost(mailServer, before) ? '' : undefined)
}

/** Whether a password would go to another host than before. */
function isOtherHost(server: MailServer, before: MailServer): boolean {
  return hostOf(server) !== '' && hostOf(server) !== hostOf(before)
}

const labels = {
  host: 'Mail server',
  port: 'Port',
  security: 'Encryption',
  user: 'User name',
  from: 'Sender',
  mailPassword: 'Password',
}

/** Returns the first problem with the name of its field, or what else keeps a test message from being sent. */
export function testProblem(
  input: MailServerInput,
  to: string,
  kept: MailServer | undefined,
): string | undefined {
  const [wrong] = Object.entries(problemsOfInput(input, kept)) as [keyof typeof labels, string][]
  if (wrong) return `${labels[wrong[0]]}: ${wrong[1]}`
  if (hostOf(input.mailServer) === '') return 'Fill in the mail server first.'
  return isEmailAddress(to) ? undefined : 'The recipient is not an email address.'
}

/** In lower case. People paste names with spaces around them. */
function hostOf({ host }: MailServer): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
}

/** Returns the texts of the server's settings. If the host is empty, the SMTP URL is empty. */
export function mailTexts(
  server: MailServer,
  password: string | undefined,
): { readonly smtpUrl: string; readonly mailFrom: string } {
  const { port, security, user } = server
  const host = hostOf(server)
  const mailFrom = server.from.trim()
  if (host === '') return { smtpUrl: '', mailFrom }
  const login = user === '' ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password ?? '')}@`
  const bracketed = host.includes(':') ? `[${host}]` : host
  const smtpUrl = `${schemes[security]}://${login}${bracketed}:${port || usualPorts[security]}/${options[security]}`
  return { smtpUrl, mailFrom }
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

/** Returns the password in an SMTP URL; undefined if there is none. */
export function mailPasswordOf(smtpUrl: string): string | undefined {
  const password = URL.parse(smtpUrl)?.password ?? ''
  return password === '' ? undefined : decodeURIComponent(password)
}

/** The sender, or the default of the server. */
export function senderOf({ from }: MailServer): string {
  return from.trim() || defaultText('mailFrom', process.env)
}
