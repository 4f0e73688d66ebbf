/** Changes settings: checks, saves and applies them. */

import { nativeTheme } from 'electron'
import {
  type MailServer,
  mailTexts,
  passwordToSave,
  problemsOfInput,
  senderOf,
  testProblem,
} from '../../server/platform/config/mail-server.ts'
import { testMessage, tryMailServer } from '../../server/platform/mail/mailer.ts'
import type { Logger } from '../../server/util/log.ts'
import { args, members, oneOf, optional, text } from '../ground/arguments.ts'
import type { SettingProblems, Settings, SettingsView } from '../ground/bridge.ts'
import type { Bus } from '../ground/bus.ts'
import { type CallsOf, call } from '../ground/calls.ts'
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

const isText = text(500)

const isMailServer = members<MailServer>({
  ...{ host: isText, port: isText, user: isText, from: isText },
  security: oneOf('tls', 'starttls', 'none'),
})

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
  const keptMail = () => (secrets.read('mail-password') === null ? undefined : file.get('mail'))
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
      'mail.change': call(args(isMailServer, optional(text(1000))), async (mailServer, mailPassword) => {
        const input = { mailServer, mailPassword }
        const problems = problemsOfInput(input, keptMail())
        if (Object.keys(problems).length > 0) return problems
        const password = passwordToSave(input, file.get('mail'))
        // First: another mail server must never get the password of the one before.
        if (password !== undefined) secrets.write('mail-password', password === '' ? null : password)
        file.set('mail', mailServer)
        bus.emit('settings')
        await server.restart()
        return {}
      }),
      'mail.test': call(
        args(isMailServer, optional(text(1000)), text(500)),
        async (mailServer, mailPassword, to) => {
          const problem = testProblem({ mailServer, mailPassword }, to, keptMail())
          if (problem !== undefined) return { ok: false, message: problem }
          const { smtpUrl } = mailTexts(
            mailServer,
            mailPassword ?? secrets.read('mail-password') ?? undefined,
          )
          const failure = await tryMailServer(smtpUrl, senderOf(mailServer), { to, ...testMessage })
          return failure === undefined ? { ok: true, value: undefined } : { ok: false, message: failure }
        },
      ),
    },
  }
}

/** Applies the settings that need no restart of the server. */
function applyAtOnce({ theme, logLevel }: Settings, log: Logger): void {
  nativeTheme.themeSource = theme
  log.level = logLevel
}
