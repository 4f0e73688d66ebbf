/** The mail server of `npm run serve` that the owner sets over HTTP: in `settings.json`, its password in a file of its own. */
import { join } from 'node:path'
import { type Config, ConfigError, type ConfigSource, readConfig } from '../../platform/config/config.ts'
import type { KeptSettings } from '../../platform/config/kept-settings.ts'
import { mailServerOf, mailTexts } from '../../platform/config/mail-server.ts'
import { secretFile } from '../../platform/config/secret-file.ts'
import type { KeptMail } from '../host.ts'

export function keepMail(dataDir: string, settings: KeptSettings): KeptMail {
  const file = secretFile(join(dataDir, 'mail-password'))
  const smtpUrl = () => settings.proven('smtpUrl')
  const mailFrom = () => settings.proven('mailFrom')
  return {
    server: () => mailServerOf(smtpUrl().text, mailFrom().text),
    password: () => file.read(),
    get setBy() {
      return smtpUrl().setBy ?? mailFrom().setBy
    },
    async save(server, password) {
      // First: another mail server must never get the password of the one before.
      if (password === '') await file.remove()
      else if (password !== undefined) await file.write(password)
      const problems = await settings.change(mailTexts(server, undefined))
      const [problem] = Object.values(problems)
      if (problem !== undefined) throw new ConfigError(problem)
    },
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
