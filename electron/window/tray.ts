/** The tray icon and its menu: the state of the server, and the commands that need no window. */

import { setTimeout } from 'node:timers/promises'
import { Menu, Tray } from 'electron'
import type { Logger } from '../../server/util/log.ts'
import { createSharedRun } from '../../server/util/rounds.ts'
import type { Bus } from '../ground/bus.ts'
import { describeState, productName, t } from '../ground/strings.ts'
import type { Actions } from '../server/actions.ts'
import type { Quitting } from '../server/quit.ts'
import type { EmbeddedServer } from '../server/server.ts'
import type { SettingsControl } from '../server/settings-control.ts'
import { icon } from '../system/icons.ts'
import { hasTrayHost, showsOurIcon } from '../system/tray-host.ts'
import type { MainWindow } from './window.ts'

export interface DesktopTray {
  /** Shows the icon if the desktop has a tray. @returns whether it is shown */
  find(): Promise<boolean>
  /** Retries for a minute: at login the desktop may start its tray after this app. */
  await(): Promise<void>
}

const retryMs = 1000
const awaitMs = 60_000

export interface TrayDeps {
  readonly server: EmbeddedServer
  readonly window: MainWindow
  readonly settings: SettingsControl
  readonly actions: Actions
  /** The notice about the copies that the menu shows. */
  readonly copyNotices: { readonly current: keyof typeof t.copies.notices | undefined }
  readonly quitting: Quitting
  readonly bus: Bus
  readonly log: Logger
}

export function setupTray(deps: TrayDeps): DesktopTray {
  const { server, window, settings, bus, log } = deps
  let tray: Tray | undefined
  let wasRefused = false

  const open = () => {
    const opened = new Tray(icon('tray'))
    // On macOS a click opens the menu, which the window would cover.
    if (process.platform !== 'darwin') opened.on('click', () => window.show())
    return opened
  }
  const update = () => {
    tray?.setToolTip(`${productName}: ${describeState(server.state)}`)
    tray?.setContextMenu(menuFor(deps))
  }
  bus.on('serverState', update)
  bus.on('settings', update)
  bus.on('copies', update)
  const show = async (): Promise<boolean> => {
    if (!(await hasTrayHost())) return false
    const opened = open()
    if (await showsOurIcon()) {
      tray = opened
      settings.trayShown()
      return true
    }
    opened.destroy()
    if (!wasRefused) log.warn('tray icon refused by the desktop')
    wasRefused = true
    return false
  }
  const showOnce = createSharedRun(show)
  const find = async () => tray !== undefined || showOnce()
  return {
    find,
    async await() {
      const deadline = performance.now() + awaitMs
      while (!(await find()) && performance.now() < deadline)
        await setTimeout(retryMs, undefined, { ref: false })
    },
  }
}

function menuFor({ server, window, settings, actions, copyNotices, quitting }: TrayDeps): Menu {
  const { state } = server
  const isRunning = state.kind === 'running'
  const notice = copyNotices.current
  const isIdle = state.kind === 'stopped' || state.kind === 'failed'
  return Menu.buildFromTemplate([
    { label: describeState(state), enabled: false },
    ...(notice ? [{ label: t.copies.notices[notice].title, click: () => window.show('/backups') }] : []),
    { type: 'separator' },
    { label: t.tray.open, click: () => window.show() },
    { label: t.tray.copyEndpoint, enabled: isRunning, click: actions.copyEndpoint },
    { type: 'separator' },
    isIdle
      ? { label: t.tray.start, click: () => void server.start() }
      : { label: t.tray.stop, enabled: isRunning, click: () => void server.stop() },
    {
      label: t.tray.startAtLogin,
      type: 'checkbox',
      checked: settings.view().settings.startAtLogin,
      click: ({ checked }) => void settings.change({ startAtLogin: checked }),
    },
    { type: 'separator' },
    { label: t.tray.quit, click: quitting.quit },
  ])
}
