/** The desktop's mail settings, and their conversion to the server's: an SMTP URL and a sender. */
import { defaultText, problemWith } from '../../server/platform/config/config.ts'
import { portProblem } from '../../server/platform/config/kept-settings.ts'
import { members, oneOf, text } from '../ground/arguments.ts'
import type { MailSettings, SettingProblems } from '../ground/bridge.ts'

export const defaultMail: MailSettings = { host: '', port: '', security: 'tls', user: '', from: '' }

const schemes = { tls: 'smtps', starttls: 'smtp', none: 'smtp' } as const
/** Default ports (RFC 8314 §3, RFC 6409 §3.1). */
const usualPorts = { tls: '465', starttls: '587', none: '25' } as const
const options = { tls: '', starttls: '?requireTLS=true', none: '?ignoreTLS=true&requireTLS=false' } as const

const isText = text(500)

export const isMailSettings = members<MailSettings>({
  ...{ host: isText, port: isText, user: isText, from: isText },
  security: oneOf('tls', 'starttls', 'none'),
})

export function mailProblems(mail: MailSettings): SettingProblems<MailSettings> {
  const { host, port, from } = mail
  const hostProblem = host.includes(',') ? 'This must be one host name.' : problemWith('hostnames', host)
  const wrongPort = portProblem(port)
  const fromProblem = problemWith('mailFrom', from)
  return {
    ...(hostProblem && { host: 'This must be a host name, such as mail.example.com.' }),
    ...(wrongPort && { port: wrongPort }),
    ...(fromProblem && { from: fromProblem }),
  }
}

/** Converts to the texts of the server's settings. If the host is empty, the SMTP URL is empty. */
export function mailTexts(
  mail: MailSettings,
  password: string | null,
): { smtpUrl: string; mailFrom: string } {
  const { host, port, security, user, from } = mail
  if (host === '') return { smtpUrl: '', mailFrom: from }
  const login = user === '' ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password ?? '')}@`
  const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  const smtpUrl = `${schemes[security]}://${login}${bracketed}:${port || usualPorts[security]}/${options[security]}`
  return { smtpUrl, mailFrom: from }
}

/** The configured sender, or the server's default. */
export function senderOf({ from }: MailSettings): string {
  return from || defaultText('mailFrom', process.env)
}
