/** The tray: how the server is, and what can be done without the window. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Menu, Tray } from 'electron'
import type { ServerState } from './bridge.ts'
import { icon } from './icons.ts'
import { describeState, productName, t } from './strings.ts'

export interface TrayActions {
  readonly open: () => void
  readonly copyEndpoint: () => void
  readonly start: () => void
  readonly stop: () => void
  readonly setStartAtLogin: (on: boolean) => void
  readonly quit: () => void
}

export interface TrayView {
  readonly state: ServerState
  readonly startAtLogin: boolean
}

/** @returns a function that shows another view */
export function createTray(actions: TrayActions): (view: TrayView) => void {
  const tray = new Tray(icon('tray'))
  tray.on('click', actions.open)
  return (view) => {
    tray.setToolTip(`${productName}: ${describeState(view.state)}`)
    tray.setContextMenu(menuFor(view, actions))
  }
}

function menuFor({ state, startAtLogin }: TrayView, actions: TrayActions): Menu {
  const isRunning = state.kind === 'running'
  const isIdle = state.kind === 'stopped' || state.kind === 'failed'
  return Menu.buildFromTemplate([
    { label: describeState(state), enabled: false },
    { type: 'separator' },
    { label: t.tray.open, click: actions.open },
    { label: t.tray.copyEndpoint, enabled: isRunning, click: actions.copyEndpoint },
    { type: 'separator' },
    isIdle
      ? { label: t.tray.start, click: actions.start }
      : { label: t.tray.stop, enabled: isRunning, click: actions.stop },
    {
      label: t.tray.startAtLogin,
      type: 'checkbox',
      checked: startAtLogin,
      click: ({ checked }) => actions.setStartAtLogin(checked),
    },
    { type: 'separator' },
    { label: t.tray.quit, click: actions.quit },
  ])
}

/** As the desktop bus knows it: nothing tells a program that its tray icon is nowhere to be seen. */
const watcher = 'org.kde.StatusNotifierWatcher'
const askMs = 1000

/**
 * Whether there is a tray. On Linux a desktop may have none (GNOME without an extension): then a window closed to it would be lost.
 */
export async function hasTrayHost(): Promise<boolean> {
  if (process.platform !== 'linux') return true
  const question = [
    '--session',
    '--print-reply',
    '--dest=org.freedesktop.DBus',
    '/org/freedesktop/DBus',
    'org.freedesktop.DBus.NameHasOwner',
    `string:${watcher}`,
  ]
  return promisify(execFile)('dbus-send', question, { timeout: askMs }).then(
    ({ stdout }) => stdout.includes('boolean true'),
    () => false,
  )
}
