import { EventEmitter } from 'node:events'
import { app, preventable } from './app.ts'
import { driver, notifyDriver } from './driver.ts'
import { hasQuirk, takeQuirk } from './quirks.ts'

export interface FrameDouble {
  readonly url: string
  readonly parent: FrameDouble | null
}

interface Bounds {
  x: number
  y: number
  width: number
  height: number
}

type OpenHandler = (details: { url: string }) => { action: 'allow' | 'deny' }

let lastId = 0

/** The main process's side of a page, which is in the driver's browser. */
export class WebContentsDouble extends EventEmitter {
  readonly id: number
  #url = ''
  #openHandler: OpenHandler = () => ({ action: 'allow' })

  constructor(id: number) {
    super()
    this.id = id
  }

  get mainFrame(): FrameDouble {
    return { url: this.#url, parent: null }
  }

  getURL(): string {
    return this.#url
  }

  send(channel: string, ...args: unknown[]): void {
    notifyDriver('page.send', this.id, channel, args)
  }

  reload(): void {
    notifyDriver('page.reload', this.id)
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.#openHandler = handler
  }

  /** Always false: specs emit the crash event themselves. */
  isCrashed(): boolean {
    return false
  }

  isDestroyed(): boolean {
    return !BrowserWindow.getAllWindows().some(({ webContents }) => webContents === this)
  }

  /** Called by the driver when the page does something. */
  readonly fromPage = {
    url: (url: string) => {
      this.#url = url
    },
    /** @returns whether the page may go there */
    navigation: (url: string): boolean => {
      const event = preventable({ url })
      this.emit('will-frame-navigate', event)
      if (!event.defaultPrevented) this.emit('will-navigate', event, url)
      return !event.defaultPrevented
    },
    open: (url: string) => this.#openHandler({ url }).action,
  }
}

export class BrowserWindow extends EventEmitter {
  static readonly #all = new Map<number, BrowserWindow>()
  static #focused: BrowserWindow | undefined
  /** Of the window that was destroyed last. */
  static #emitClosed = () => {}

  static getAllWindows(): BrowserWindow[] {
    return [...BrowserWindow.#all.values()]
  }

  static getFocusedWindow(): BrowserWindow | null {
    return BrowserWindow.#focused ?? null
  }

  static byId(id: number): BrowserWindow {
    const window = BrowserWindow.#all.get(id)
    if (!window) throw new Error(`there is no window ${id}`)
    return window
  }

  readonly id = ++lastId
  readonly webContents = new WebContentsDouble(this.id)
  readonly options: Electron.BrowserWindowConstructorOptions
  #bounds: Bounds
  #visible = false
  #minimized = false
  #maximized = false

  constructor(options: Electron.BrowserWindowConstructorOptions) {
    super()
    this.options = options
    const { x = 100, y = 100, width = 800, height = 600 } = options
    this.#bounds = { x, y, width, height }
    BrowserWindow.#all.set(this.id, this)
    setImmediate(() => BrowserWindow.#emitClosed())
    app.emit('web-contents-created', {}, this.webContents)
    notifyDriver('window.create', this.id, { width, height, preload: options.webPreferences?.preload })
    app.emit('browser-window-created', {}, this)
    if (options.show !== false) this.show()
  }

  async loadURL(url: string): Promise<void> {
    if (takeQuirk('load-fails-once')) throw new Error(`ERR_FAILED (-2) loading '${url}'`)
    await driver.call('window.load', this.id, url).catch((error: Error) => {
      const isAborted = /ERR_ABORTED|interrupted by another navigation/.test(error.message)
      throw isAborted ? Object.assign(error, { code: 'ERR_ABORTED', errno: -3 }) : error
    })
    if (hasQuirk('load-events-never')) return new Promise(() => {})
    const isOnTime = !hasQuirk('ready-to-show-never') && !hasQuirk('ready-to-show-late')
    if (isOnTime) this.emit('ready-to-show')
    this.webContents.emit('did-finish-load')
  }

  show(): void {
    this.#visible = true
    this.emit('show')
    this.focus()
  }

  hide(): void {
    this.#visible = false
    this.blur()
    if (takeQuirk('ready-to-show-late')) this.emit('ready-to-show')
  }

  isDestroyed(): boolean {
    return !BrowserWindow.#all.has(this.id)
  }

  isVisible(): boolean {
    return this.#visible
  }

  focus(): void {
    BrowserWindow.#focused = this
    this.emit('focus')
  }

  blur(): void {
    if (BrowserWindow.#focused === this) BrowserWindow.#focused = undefined
    this.emit('blur')
  }

  isFocused(): boolean {
    return BrowserWindow.#focused === this
  }

  minimize(): void {
    this.#minimized = true
    this.blur()
  }

  restore(): void {
    this.#minimized = false
  }

  isMinimized(): boolean {
    return this.#minimized
  }

  maximize(): void {
    this.#maximized = true
  }

  isMaximized(): boolean {
    return this.#maximized
  }

  getNormalBounds(): Bounds {
    return this.#bounds
  }

  getBounds(): Bounds {
    return this.#bounds
  }

  setBounds(bounds: Partial<Bounds>): void {
    this.#bounds = { ...this.#bounds, ...bounds }
  }

  setOverlayIcon(): void {}

  close(): void {
    const event = preventable({})
    this.emit('close', event)
    if (!event.defaultPrevented) this.destroy()
  }

  destroy(): void {
    BrowserWindow.#all.delete(this.id)
    this.blur()
    notifyDriver('window.destroy', this.id)
    BrowserWindow.#emitClosed = () => {
      BrowserWindow.#emitClosed = () => {}
      this.emit('closed')
      if (BrowserWindow.#all.size === 0) app.emit('window-all-closed')
    }
    if (!hasQuirk('closed-late')) BrowserWindow.#emitClosed()
  }
}

driver.handlers.set('page.url', (id: number, url: string) =>
  BrowserWindow.byId(id).webContents.fromPage.url(url),
)
driver.handlers.set('page.navigation', (id: number, url: string) =>
  BrowserWindow.byId(id).webContents.fromPage.navigation(url),
)
driver.handlers.set('page.open', (id: number, url: string) =>
  BrowserWindow.byId(id).webContents.fromPage.open(url),
)
