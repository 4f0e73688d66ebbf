/** The mail server that the owner sets over HTTP. */
import type { Config } from '../platform/config/config.ts'
import { type MailServer, type MailServerInput, mailTexts, senderOf } from '../platform/config/mail-server.ts'
import type { Host, KeptMail } from './host.ts'

type Fail = (name: 'MailServerElsewhere', message: string) => Error

/** @throws XrpcError MailServerElsewhere if the program that runs the server offers none */
export function requireMail({ host }: { readonly host: Host | undefined }, fail: Fail): KeptMail {
  if (!host?.mail)
    throw fail('MailServerElsewhere', 'Set the mail server in the program that runs this server')
  return host.mail
}

/** @throws XrpcError MailServerElsewhere if it cannot be changed over HTTP */
export function requireChangeableMail(operation: { readonly host: Host | undefined }, fail: Fail): KeptMail {
  const mail = requireMail(operation, fail)
  if (mail.setBy !== undefined) throw fail('MailServerElsewhere', `The mail server is set by ${mail.setBy}`)
  return mail
}

/** Whether the server runs with another mail server until it has started again. @param password the one that is kept */
export function isMailWaiting(
  running: Pick<Config, 'smtpUrl' | 'mailFrom'>,
  mail: KeptMail,
  password: string | undefined,
): boolean {
  if (mail.setBy !== undefined) return false
  const server = mail.server()
  const { smtpUrl } = mailTexts(server, password)
  const next = smtpUrl === '' ? undefined : new URL(smtpUrl).href
  return next !== running.smtpUrl || senderOf(server) !== running.mailFrom
}

/** Returns the mail server whose kept password an input asks for; undefined if there is none. */
export async function keptFor(
  { mailPassword }: MailServerInput,
  mail: KeptMail,
): Promise<MailServer | undefined> {
  const isKept = mailPassword === undefined && (await mail.password()) !== undefined
  return isKept ? mail.server() : undefined
}
