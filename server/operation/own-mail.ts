/** The mail server that the owner sets over HTTP. */
import { ConfigError } from '../platform/config/config.ts'
import type { MailServer, MailServerInput } from '../platform/config/mail-server.ts'
import type { Host, KeptMail, NextMail } from './host.ts'

type Fail = (name: 'MailServerElsewhere' | 'InvalidRequest', message: string) => Error

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

/** @throws XrpcError InvalidRequest if its file cannot be read; the message says what to do */
export function readMail(mail: KeptMail, fail: Fail): Promise<NextMail> {
  return mail.read().catch((error: unknown) => {
    throw error instanceof ConfigError ? fail('InvalidRequest', error.message) : error
  })
}

/** Whether the server runs with another mail server until it has started again. */
export function isMailWaiting(running: NextMail['config'], { config }: NextMail): boolean {
  return config.smtpUrl !== running.smtpUrl || config.mailFrom !== running.mailFrom
}

/** Returns the mail server whose kept password an input asks for; undefined if there is none. @throws as `readMail` */
export async function keptFor(
  { mailPassword }: MailServerInput,
  mail: KeptMail,
  fail: Fail,
): Promise<MailServer | undefined> {
  if (mailPassword !== undefined) return undefined
  const { server, password } = await readMail(mail, fail)
  return password === undefined ? undefined : server
}
