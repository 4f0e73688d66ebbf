/** The tray: how the server is, and what can be done without the window. */
import { execFile } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
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

export interface DesktopTray {
  readonly isThere: boolean
  /** Puts the icon up where there is a tray. @returns whether there is one */
  find(): Promise<boolean>
  /** At login the desktop may have its tray after us: looks for it until then, for a minute. */
  await(): Promise<void>
  /** To be called when the view is another. */
  update(): void
}

export function createTray(actions: TrayActions, view: () => TrayView): DesktopTray {
  let tray: Tray | undefined

  const open = () => {
    const opened = new Tray(icon('tray'))
    // On macOS a click opens the menu, which the window would cover.
    if (process.platform !== 'darwin') opened.on('click', actions.open)
    return opened
  }
  const update = () => {
    tray?.setToolTip(`${productName}: ${describeState(view().state)}`)
    tray?.setContextMenu(menuFor(view(), actions))
  }
  const find = async () => {
    if (!tray && (await hasTrayHost())) {
      tray ??= open()
      update()
    }
    return tray !== undefined
  }
  return {
    get isThere() {
      return tray !== undefined
    },
    find,
    async await() {
      const until = performance.now() + awaitMs
      while (!(await find()) && performance.now() < until)
        await setTimeout(againMs, undefined, { ref: false })
    },
    update,
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
const againMs = 1000
const awaitMs = 60_000

/**
 * Whether there is a tray. On Linux a desktop may have none (GNOME without an extension): then a window closed to it would be lost.
 */
async function hasTrayHost(): Promise<boolean> {
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
