/** The mail server of `npm run serve` that the owner sets over HTTP: in `settings.json`, its password in a file of its own. */
import { join } from 'node:path'
import { type Config, ConfigError, type ConfigSource, readConfig } from '../../platform/config/config.ts'
import type { KeptSettings } from '../../platform/config/kept-settings.ts'
import {
  type MailServerInput,
  mailServerOf,
  mailTexts,
  passwordToSave,
} from '../../platform/config/mail-server.ts'
import { secretFile } from '../../platform/config/secret-file.ts'
import { createSerializer } from '../../util/serialize.ts'
import type { KeptMail } from '../host.ts'

export function keepMail(dataDir: string, settings: KeptSettings): KeptMail {
  const file = secretFile(join(dataDir, 'mail-password'))
  const smtpUrl = () => settings.proven('smtpUrl')
  const mailFrom = () => settings.proven('mailFrom')
  const server = () => mailServerOf(smtpUrl().text, mailFrom().text)
  /** Two pages may save at once: the password of one must never go to the mail server of the other. */
  const serialize = createSerializer()
  const savePassword = (password: string) => (password === '' ? file.remove() : file.write(password))

  async function save(input: MailServerInput): Promise<void> {
    const password = passwordToSave(input, server())
    // One that other users can read is replaced.
    const earlier = await file.read().catch(() => undefined)
    // First: another mail server must never get the password of the one before.
    if (password !== undefined) await savePassword(password)
    try {
      const problems = await settings.change(mailTexts(input.mailServer, undefined))
      const [problem] = Object.values(problems)
      if (problem !== undefined) throw new ConfigError(problem)
    } catch (error) {
      if (password !== undefined) await savePassword(earlier ?? '')
      throw error
    }
  }

  return {
    server,
    password: () => file.read(),
    get setBy() {
      return smtpUrl().setBy ?? mailFrom().setBy
    },
    save: (input) => serialize(() => save(input)),
  }
}

/** Returns the settings of mail with which the server starts. Flags and variables override what is kept. @throws ConfigError */
export async function mailConfig(
  source: ConfigSource,
  mail: KeptMail,
): Promise<Pick<Config, 'smtpUrl' | 'mailFrom'>> {
  const { smtpUrl, mailFrom } = readConfig(source, mailTexts(mail.server(), await mail.password()))
  return { smtpUrl, mailFrom }
}
