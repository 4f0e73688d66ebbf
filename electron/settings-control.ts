/** Changes settings: checks, saves and applies them. */
import { nativeTheme } from 'electron'
import { isEmailAddress } from '../server/mail/address.ts'
import { tryMailServer } from '../server/mail/mailer.ts'
import type { Logger } from '../server/util/log.ts'
import type { MailSettings, Outcome, SettingProblems, Settings, SettingsView } from './bridge.ts'
import { setStartAtLogin } from './login-item.ts'
import { mailProblems, mailTexts, senderOf } from './mail-settings.ts'
import type { Secrets } from './secrets.ts'
import { defaultSettings, problemsOf, restarting } from './settings.ts'
import type { SettingsFile } from './settings-file.ts'

export interface SettingsControl {
  view(): SettingsView
  change(changes: Partial<Settings>): Promise<SettingProblems<Settings>>
  changeMail(mail: MailSettings, password?: string): Promise<SettingProblems<MailSettings>>
  tryMail(mail: MailSettings, password: string | undefined, to: string): Promise<Outcome>
  onChange(listener: (view: SettingsView) => void): void
  /** Sends the view to the listeners, after a change from outside. */
  announce(): void
}

export interface SettingsControlOptions {
  readonly file: SettingsFile
  readonly secrets: Secrets
  readonly dataFolder: string
  readonly hasTray: () => boolean
  readonly restart: () => Promise<unknown>
  readonly log: Logger
}

export function createSettingsControl(options: SettingsControlOptions): SettingsControl {
  const { file, secrets, dataFolder, hasTray, restart, log } = options
  const listeners: ((view: SettingsView) => void)[] = []

  const view = (): SettingsView => ({
    settings: file.get('settings'),
    defaults: defaultSettings(),
    mail: file.get('mail'),
    hasMailPassword: secrets.read('mail-password') !== null,
    dataFolder,
    secretProtection: secrets.protection,
    hasTray: hasTray(),
  })
  const announce = () => {
    for (const listener of listeners) listener(view())
  }
  applyAtOnce(file.get('settings'), log)

  return {
    view,
    async change(changes) {
      const before = file.get('settings')
      const problems = problemsOf(changes, before)
      if (Object.keys(problems).length > 0) return problems
      const after = { ...before, ...changes }
      file.set('settings', after)
      applyAtOnce(after, log)
      if (before.startAtLogin !== after.startAtLogin) setStartAtLogin(after.startAtLogin)
      announce()
      if (restarting.some((name) => before[name] !== after[name])) await restart()
      return {}
    },
    async changeMail(mail, password) {
      const problems = mailProblems(mail)
      if (Object.keys(problems).length > 0) return problems
      file.set('mail', mail)
      if (password !== undefined) secrets.write('mail-password', password === '' ? null : password)
      announce()
      await restart()
      return {}
    },
    async tryMail(mail, password, to) {
      const [problem] = Object.values(mailProblems(mail))
      if (problem !== undefined) return { ok: false, message: problem }
      if (mail.host === '') return { ok: false, message: 'Fill in the mail server first.' }
      if (!isEmailAddress(to)) return { ok: false, message: 'This is not an email address.' }
      const { smtpUrl } = mailTexts(mail, password ?? secrets.read('mail-password'))
      const failure = await tryMailServer(smtpUrl, senderOf(mail), {
        to,
        subject: 'A test of your mail settings',
        text: 'Your personal data server can send mail.\n',
      })
      return failure === undefined ? { ok: true, value: undefined } : { ok: false, message: failure }
    },
    onChange: (listener) => listeners.push(listener),
    announce,
  }
}

/** Applies the settings that need no restart of the server. */
function applyAtOnce({ theme, logLevel }: Settings, log: Logger): void {
  nativeTheme.themeSource = theme
  log.level = logLevel
}
