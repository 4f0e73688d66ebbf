/** The tray icon and its menu: the state of the server, and the commands that need no window. */
import { setTimeout } from 'node:timers/promises'
import { Menu, Tray } from 'electron'
import type { Logger } from '../server/util/log.ts'
import type { ServerState } from './bridge.ts'
import { icon } from './icons.ts'
import { describeState, productName, t } from './strings.ts'
import { hasTrayHost, showsOurIcon } from './tray-host.ts'

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
  readonly isShown: boolean
  /** Shows the icon if the desktop has a tray. @returns whether it is shown */
  find(): Promise<boolean>
  /** Retries for a minute: at login the desktop may start its tray after this app. */
  await(): Promise<void>
  /** Call this when the view has changed. */
  update(): void
}

const retryMs = 1000
const awaitMs = 60_000

export interface TrayDeps {
  readonly actions: TrayActions
  readonly view: () => TrayView
  readonly log: Logger
}

export function createTray({ actions, view, log }: TrayDeps): DesktopTray {
  let tray: Tray | undefined
  let finding: Promise<boolean> | undefined
  let wasRefused = false

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
  const show = async (): Promise<boolean> => {
    if (!(await hasTrayHost())) return false
    const opened = open()
    if (await showsOurIcon()) {
      tray = opened
      update()
      return true
    }
    opened.destroy()
    if (!wasRefused) log.warn('tray icon refused by the desktop')
    wasRefused = true
    return false
  }
  const find = async () => {
    if (tray) return true
    finding ??= show().finally(() => {
      finding = undefined
    })
    return finding
  }
  return {
    get isShown() {
      return tray !== undefined
    },
    find,
    async await() {
      const deadline = performance.now() + awaitMs
      while (!(await find()) && performance.now() < deadline)
        await setTimeout(retryMs, undefined, { ref: false })
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
