/** The mail server of `npm run serve` that the owner sets over HTTP: with its password, in one file, which is replaced as a whole. */
import { join } from 'node:path'
import {
  ConfigError,
  type ConfigSource,
  givenBy,
  problemWith,
  readConfig,
} from '../../platform/config/config.ts'
import {
  type MailServerInput,
  mailPasswordOf,
  mailServerOf,
  mailTexts,
  passwordToSave,
} from '../../platform/config/mail-server.ts'
import { secretFile } from '../../platform/config/secret-file.ts'
import type { Files } from '../../store/files/files.ts'
import { isObject, parseJson } from '../../util/json.ts'
import { createSerializer } from '../../util/serialize.ts'
import type { KeptMail } from '../host.ts'

/** Settings, as texts. */
type MailTexts = ReturnType<typeof mailTexts>

/** @param source flags and variables override what is kept */
export function keepMail(dataDir: string, source: ConfigSource, files?: Files): KeptMail {
  const path = join(dataDir, 'mail-server.json')
  const file = secretFile(path, files)
  const serialize = createSerializer()
  const given = { smtpUrl: givenBy('smtpUrl', source), mailFrom: givenBy('mailFrom', source) }
  const setBy = given.smtpUrl?.by ?? given.mailFrom?.by

  async function readTexts(): Promise<MailTexts> {
    const text = await file.read()
    const content = text === undefined ? {} : parseJson(Buffer.from(text))
    const { smtpUrl = '', mailFrom = '' } = isObject(content) ? content : { smtpUrl: null }
    if (!isValid('smtpUrl', smtpUrl) || !isValid('mailFrom', mailFrom))
      throw new ConfigError(`${path} is damaged. Correct it, or delete it and set the mail server again.`)
    return { smtpUrl, mailFrom }
  }

  /** Another mail server never gets the password of the one before. */
  async function keptPassword(input: MailServerInput): Promise<string | undefined> {
    const { smtpUrl, mailFrom } = await readTexts()
    return passwordToSave(input, mailServerOf(smtpUrl, mailFrom)) ?? mailPasswordOf(smtpUrl)
  }

  return {
    setBy,
    async read() {
      const kept = await readTexts()
      const smtpUrl = given.smtpUrl?.text ?? kept.smtpUrl
      const config = readConfig(source, kept)
      return {
        server: mailServerOf(smtpUrl, given.mailFrom?.text ?? kept.mailFrom),
        password: setBy === undefined ? mailPasswordOf(smtpUrl) : undefined,
        config: { smtpUrl: config.smtpUrl, mailFrom: config.mailFrom },
      }
    },
    save: (input) =>
      serialize(async () => {
        const texts = mailTexts(input.mailServer, input.mailPassword ?? (await keptPassword(input)))
        if (texts.smtpUrl === '' && texts.mailFrom === '') return file.remove()
        await file.write(`${JSON.stringify(texts)}\n`)
      }),
  }
}

function isValid(name: keyof MailTexts, text: unknown): text is string {
  return typeof text === 'string' && problemWith(name, text) === undefined
}
