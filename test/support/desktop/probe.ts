/**
 * Inspects the main process and simulates the person outside the page: clicks in the tray, menus, notifications and dialogs. Uses
 * only the module `electron`, so it works with the stand-in too. Must run before the main file.
 */
import {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  type MenuItem,
  Notification,
  nativeTheme,
  powerMonitor,
  powerSaveBlocker,
  safeStorage,
  shell,
  Tray,
} from 'electron'

export interface Item {
  readonly label: string
  readonly enabled: boolean
  readonly checked: boolean
}

export interface Probed {
  readonly tray: { readonly toolTip: string; readonly items: readonly Item[] } | null
  /** Items by menu, as role or label. */
  readonly menu: Readonly<Record<string, readonly string[]>>
  readonly notifications: readonly { readonly title: string; readonly body: string }[]
  readonly dialogs: readonly string[]
  /** URLs and folders that were opened in other programs. */
  readonly opened: readonly string[]
  readonly clipboard: string
  readonly badge: number
  /** Resident memory of the main process, in 10^6 bytes. */
  readonly megabytes: number
  /** Folder of settings, secrets and logs. */
  readonly userData: string
  readonly theme: string
  /** Whether the switch `--no-sandbox` is set. */
  readonly noSandbox: boolean
  /** Whether the app turned the sandbox on for every renderer. */
  readonly sandboxEnabled: boolean
  readonly hardwareAcceleration: boolean
  readonly windows: readonly {
    readonly visible: boolean
    readonly focused: boolean
    readonly minimized: boolean
    readonly url: string
    readonly bounds: {
      readonly x: number
      readonly y: number
      readonly width: number
      readonly height: number
    }
  }[]
}

/** A call with a sender of choice. */
export interface ForeignCall {
  readonly channel: string
  readonly args: readonly unknown[]
  readonly from:
    | 'another window'
    | 'a frame'
    | 'another origin'
    | 'no frame'
    | 'a disposed frame'
    | 'our page'
    | 'our page without URL'
}

let tray: { toolTip: string; menu: Menu | null } | null = null
Tray.prototype.setToolTip = (text) => {
  tray = { menu: tray?.menu ?? null, toolTip: text }
}
Tray.prototype.setContextMenu = (menu) => {
  tray = { toolTip: tray?.toolTip ?? '', menu }
}

const shown: Notification[] = []
Notification.isSupported = () => true
Notification.prototype.show = function (this: Notification) {
  shown.push(this)
}

const started: number[] = []
const startBlocker = powerSaveBlocker.start
powerSaveBlocker.start = (type) => {
  const id = startBlocker.call(powerSaveBlocker, type)
  started.push(id)
  return id
}

const opened: string[] = []
shell.openExternal = async (address) => void opened.push(address)
shell.openPath = async (path) => {
  opened.push(path)
  return ''
}

const dialogs: string[] = []
const firstAnswer = process.env.DESKTOP_PROBE_ANSWER
const answers: unknown[] = firstAnswer ? [JSON.parse(firstAnswer)] : []
/** Dialogs that are still open. */
const open: ((answer: unknown) => void)[] = []
const nextAnswer = (...[window, options]: unknown[]) => {
  const { message, title } = (options ?? window) as { message?: string; title?: string }
  dialogs.push(message ?? title ?? '')
  return answers.length > 0 ? Promise.resolve(answers.shift()) : new Promise((resolve) => open.push(resolve))
}
Object.assign(dialog, { showMessageBox: nextAnswer, showSaveDialog: nextAnswer, showOpenDialog: nextAnswer })

let sandboxEnabled = false
const { enableSandbox } = app
app.enableSandbox = () => {
  sandboxEnabled = true
  enableSandbox.call(app)
}

const handlers = new Map<string, (...args: unknown[]) => unknown>()
const { handle } = ipcMain
ipcMain.handle = (channel, handler) => {
  handlers.set(channel, handler as never)
  handle.call(ipcMain, channel, handler)
}

/** macOS emits `open-url` for the link that starts the app. */
const firstLink = process.env.DESKTOP_PROBE_LINK
if (firstLink) app.once('ready', () => app.emit('open-url', { preventDefault() {} }, firstLink))

const asItem = ({ label, enabled, checked }: MenuItem): Item => ({ label, enabled, checked })
const isItem = ({ type }: MenuItem) => type !== 'separator'

function click(items: readonly MenuItem[] | undefined, label: string): void {
  const item = items?.find((one) => one.label === label)
  if (!item) throw new Error(`there is no item ${label}`)
  if (!item.enabled) throw new Error(`the item ${label} is disabled`)
  item.click()
}

const firstWindow = (): BrowserWindow => {
  const [window] = BrowserWindow.getAllWindows()
  if (!window) throw new Error('there is no window')
  return window
}

const probe = {
  async look(): Promise<Probed> {
    const menus = Menu.getApplicationMenu()?.items ?? []
    return {
      tray: tray && { toolTip: tray.toolTip, items: (tray.menu?.items ?? []).filter(isItem).map(asItem) },
      menu: Object.fromEntries(
        menus.map(({ label, submenu }) => [
          label,
          (submenu?.items ?? []).filter(isItem).map((item) => item.role?.toLowerCase() ?? item.label),
        ]),
      ),
      notifications: shown.map(({ title, body }) => ({ title, body })),
      dialogs,
      opened,
      clipboard: await clipboard.readText(),
      badge: app.getBadgeCount(),
      megabytes: process.memoryUsage.rss() / 1e6,
      userData: app.getPath('userData'),
      theme: nativeTheme.themeSource,
      sandboxEnabled,
      noSandbox: app.commandLine.hasSwitch('no-sandbox'),
      hardwareAcceleration: app.isHardwareAccelerationEnabled(),
      windows: BrowserWindow.getAllWindows().map((window) => ({
        visible: window.isVisible(),
        focused: window.isFocused(),
        minimized: window.isMinimized(),
        url: window.webContents.getURL(),
        bounds: window.getBounds(),
      })),
    }
  },
  clickTray: (label: string) => click(tray?.menu?.items, label),
  clickMenu(menu: string, label: string) {
    const items = Menu.getApplicationMenu()?.items.find((one) => one.label === menu)?.submenu?.items
    click(items, label)
  },
  clickNotification(title: string) {
    const notification = shown.findLast((one) => one.title === title)
    if (!notification) throw new Error(`there is no notification ${title}`)
    notification.emit('click')
  },
  failNotification(title: string) {
    const notification = shown.findLast((one) => one.title === title)
    if (!notification) throw new Error(`there is no notification ${title}`)
    notification.emit('failed', {}, 'the program is not signed')
  },
  unlockKeyring: () => (safeStorage as { unlock?: () => void }).unlock?.(),
  fail(how: 'throw' | 'reject'): void {
    const error = new Error('an error that no code handles')
    if (how === 'reject') void Promise.reject(error)
    else
      setImmediate(() => {
        throw error
      })
  },
  /** Responds to the open dialog, or else to the next one. */
  answer(value: unknown): void {
    const respond = open.shift()
    if (respond) respond(value)
    else answers.push(value)
  },
  closeWindow: () => firstWindow().close(),
  moveWindow: (bounds: Partial<Electron.Rectangle>) => firstWindow().setBounds(bounds),
  /** @returns whether the page was reloaded */
  crashPage(): boolean {
    const { webContents } = firstWindow()
    const { reload } = webContents
    let reloads = 0
    webContents.reload = () => {
      reloads++
      reload.call(webContents)
    }
    webContents.emit('render-process-gone', {}, { reason: 'crashed' })
    webContents.reload = reload
    return reloads === 1
  },
  blurWindow: () => firstWindow().blur(),
  openLink: (link: string) => void app.emit('open-url', { preventDefault() {} }, link),
  /** @returns whether the app asked the system to wait */
  shutDown(): boolean {
    let prevented = false
    const event = { preventDefault: () => (prevented = true) }
    const monitor = powerMonitor as NodeJS.EventEmitter & { shutDown?: (event: object) => void }
    if (monitor.shutDown) monitor.shutDown(event)
    else monitor.emit('shutdown', event)
    return prevented
  },
  /** Number of blockers that keep the computer awake. */
  awake: () => started.filter((id) => powerSaveBlocker.isStarted(id)).length,
  /** Simulates a change of the power supply. */
  usePower(supply: 'mains' | 'battery'): void {
    Object.defineProperty(powerMonitor, 'onBatteryPower', { value: supply === 'battery', configurable: true })
    ;(powerMonitor as NodeJS.EventEmitter).emit(supply === 'battery' ? 'on-battery' : 'on-ac')
  },
  /** Simulates the end of a sleep. */
  resume: () => void (powerMonitor as NodeJS.EventEmitter).emit('resume'),
  quit: () => app.quit(),
  async call({ channel, args, from }: ForeignCall): Promise<unknown> {
    const { webContents } = firstWindow()
    const urls: Partial<Record<ForeignCall['from'], string>> = {
      'another origin': 'app://pds.evil.example/',
      'our page without URL': '',
    }
    const url = urls[from] ?? webContents.getURL()
    const frame = {
      get url() {
        if (from === 'a disposed frame')
          throw new Error('Render frame was disposed before WebFrameMain could be accessed')
        return url
      },
      parent: from === 'a frame' ? { url, parent: null } : null,
    }
    const event: { sender: object; senderFrame: object | null; returnValue?: unknown } = {
      sender: from === 'another window' ? { id: -1 } : webContents,
      senderFrame: from === 'no frame' ? null : frame,
    }
    const handler = handlers.get(channel)
    if (handler) return handler(event, ...args)
    ipcMain.emit(channel, event, ...args)
    return event.returnValue
  },
}

export type Probe = typeof probe

declare global {
  var desktopProbe: Probe
}
globalThis.desktopProbe = probe
