/** Changes settings: checks, saves and applies them. */

import { nativeTheme } from 'electron'
import { isEmailAddress } from '../../server/platform/mail/address.ts'
import { tryMailServer } from '../../server/platform/mail/mailer.ts'
import type { Logger } from '../../server/util/log.ts'
import { args, optional, text } from '../ground/arguments.ts'
import type { SettingProblems, Settings, SettingsView } from '../ground/bridge.ts'
import type { Bus } from '../ground/bus.ts'
import { type CallsOf, call } from '../ground/calls.ts'
import { isMailSettings, mailProblems, mailTexts, senderOf } from '../settings/mail-settings.ts'
import type { Secrets } from '../settings/secrets.ts'
import { defaultSettings, isSettingsChange, problemsOf, restarting } from '../settings/settings.ts'
import type { SettingsFile } from '../settings/settings-file.ts'
import { setStartAtLogin } from '../system/login-item.ts'
import type { EmbeddedServer } from './server.ts'

export interface SettingsControl {
  readonly calls: CallsOf<'settings' | 'mail'>
  view(): SettingsView
  change(changes: Partial<Settings>): Promise<SettingProblems<Settings>>
  /** Called once the desktop shows our tray icon. */
  trayShown(): void
}

export interface SettingsDeps {
  readonly dataDir: string
  readonly file: SettingsFile
  readonly secrets: Secrets
  readonly server: EmbeddedServer
  readonly bus: Bus
  readonly log: Logger
}

export function setupSettings({ dataDir, file, secrets, server, bus, log }: SettingsDeps): SettingsControl {
  applyAtOnce(file.get('settings'), log)
  secrets.onLateLoad((names) => {
    bus.emit('settings')
    if (names.includes('mail-password')) void server.restart()
  })

  let hasTray = false
  const view = (): SettingsView => ({
    settings: file.get('settings'),
    defaults: defaultSettings(),
    mail: file.get('mail'),
    hasMailPassword: secrets.read('mail-password') !== null,
    dataFolder: dataDir,
    secretProtection: secrets.protection,
    hasTray,
  })
  const change = async (changes: Partial<Settings>): Promise<SettingProblems<Settings>> => {
    const before = file.get('settings')
    const problems = problemsOf(changes, before)
    if (Object.keys(problems).length > 0) return problems
    const after = { ...before, ...changes }
    file.set('settings', after)
    applyAtOnce(after, log)
    if (before.startAtLogin !== after.startAtLogin) setStartAtLogin(after.startAtLogin)
    bus.emit('settings')
    if (restarting.some((name) => before[name] !== after[name])) await server.restart()
    return {}
  }
  return {
    view,
    change,
    trayShown() {
      hasTray = true
      bus.emit('settings')
    },
    calls: {
      'settings.view': call(args(), view),
      'settings.change': call(args(isSettingsChange), change),
      'mail.change': call(args(isMailSettings, optional(text(1000))), async (mail, password) => {
        const problems = mailProblems(mail)
        if (Object.keys(problems).length > 0) return problems
        file.set('mail', mail)
        if (password !== undefined) secrets.write('mail-password', password === '' ? null : password)
        bus.emit('settings')
        await server.restart()
        return {}
      }),
      'mail.test': call(args(isMailSettings, optional(text(1000)), text(500)), async (mail, password, to) => {
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
      }),
    },
  }
}

/** Applies the settings that need no restart of the server. */
function applyAtOnce({ theme, logLevel }: Settings, log: Logger): void {
  nativeTheme.themeSource = theme
  log.level = logLevel
}
