/** The one window: its position, what closing it does, and how the main process reaches its page. */
import { join } from 'node:path'
import { BrowserWindow, dialog, screen, type WebContents } from 'electron'
import type { Logger } from '../server/util/log.ts'
import type { DesktopEvents } from './bridge.ts'
import { built } from './folders.ts'
import { icon } from './icons.ts'
import { loadPage, revealWhenReady } from './page-load.ts'
import { pageUrl } from './protocol.ts'
import type { SettingsFile } from './settings.ts'
import { productName, t } from './strings.ts'
import { minSize, placeOn } from './window-place.ts'
import { wire } from './wire.ts'

export interface MainWindow {
  /** Undefined until it is first shown. */
  readonly browserWindow: BrowserWindow | undefined
  readonly contents: WebContents | undefined
  /** Brings it to the front, on a screen if one is given. */
  show(screen?: string): void
  /** Whether the window has the focus and is on this screen. */
  isShowing(screen: string): boolean
  send<E extends keyof DesktopEvents>(event: E, value: DesktopEvents[E]): void
  /** Reloads the page on its current screen. */
  reload(): void
  /** Asks whether to quit and discard what the page has not saved. */
  confirmDiscard(): Promise<boolean>
  /** Shows a message at the next opening: for a notification that the system could not show. */
  showLater(notice: Notice): void
}

export interface Notice {
  readonly title: string
  readonly body: string
}

export interface WindowOptions {
  readonly settings: SettingsFile
  /** Whether the tray shows our icon, so that the window can close to it. */
  readonly findTray: () => Promise<boolean>
  /** Whether the app is about to end, so that closing needs no question. */
  readonly isQuitting: () => boolean
  readonly quit: () => void
  readonly end: () => void
  readonly log: Logger
  /** Called when the window was closed to the tray. */
  readonly onHidden: () => void
}

/** A page that crashes twice within this time is not reloaded, but only when the window is shown again. */
const crashLoopMs = 10_000

export function createMainWindow(options: WindowOptions): MainWindow {
  const { settings } = options
  let window: BrowserWindow | undefined
  let crashedAt = Number.NEGATIVE_INFINITY
  let pendingNotice: Notice | undefined

  function open(path: string): BrowserWindow {
    const areas = screen.getAllDisplays().map(({ workArea }) => workArea)
    const { maximized, ...place } = placeOn(areas, settings.get('window'))
    const opened = new BrowserWindow({
      ...place,
      minWidth: minSize.width,
      minHeight: minSize.height,
      title: productName,
      icon: icon('app'),
      show: false,
      autoHideMenuBar: true,
      webPreferences: {
        preload: join(built, 'electron/preload.cjs'),
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        webSecurity: true,
        spellcheck: false,
      },
    })
    opened.on('close', (event) => {
      savePosition(opened)
      if (options.isQuitting()) return
      event.preventDefault()
      void close(opened)
    })
    // Windows does not wait at the end of a session. Acknowledged writes are on disk already.
    opened.on('session-end', options.end)
    opened.webContents.on('render-process-gone', (_, { reason }) => {
      options.log.error({ reason }, 'page crashed')
      const isFirst = performance.now() - crashedAt > crashLoopMs
      crashedAt = performance.now()
      if (isFirst && reason !== 'clean-exit') opened.webContents.reload()
    })
    opened.on('closed', () => {
      window = undefined
    })
    const reveal = revealWhenReady(opened, maximized === true)
    void loadPage(opened, {
      url: `${pageUrl}#${path}`,
      reveal,
      isQuitting: options.isQuitting,
      log: options.log,
    })
    return opened
  }

  /** A full disk must not keep the window from closing. */
  function savePosition(closing: BrowserWindow): void {
    try {
      settings.set('window', { ...closing.getNormalBounds(), maximized: closing.isMaximized() })
    } catch (error) {
      options.log.warn({ err: error }, 'window position not saved')
    }
  }

  function showNotice(opened: BrowserWindow): void {
    if (!pendingNotice) return
    const { title, body } = pendingNotice
    pendingNotice = undefined
    void dialog.showMessageBox(opened, { type: 'info', message: title, detail: body })
  }

  async function close(closing: BrowserWindow): Promise<void> {
    if (!settings.get('settings').closeToTray) return options.quit()
    if (await options.findTray()) {
      hide(closing)
      return options.onHidden()
    }
    const { message, detail, quit, minimize, cancel } = t.closing
    const buttons = [quit, minimize, cancel]
    const { response } = await dialog.showMessageBox(closing, {
      type: 'question',
      message,
      detail,
      buttons,
      defaultId: 0,
      cancelId: 2,
    })
    if (buttons[response] === quit) options.quit()
    if (buttons[response] === minimize) closing.minimize()
  }

  async function confirmDiscard(): Promise<boolean> {
    if (!window) return true
    window.show()
    const { message, detail, quit, stay } = t.unsaved
    const buttons = [quit, stay]
    const question = { type: 'question', message, detail, buttons, defaultId: 1, cancelId: 1 } as const
    const { response } = await dialog.showMessageBox(window, question)
    return buttons[response] === quit
  }

  const send: MainWindow['send'] = (event, value) => window?.webContents.send(wire.event, event, value)
  return {
    get browserWindow() {
      return window
    },
    get contents() {
      return window?.webContents
    },
    show(path) {
      if (!window) {
        window = open(path ?? '/')
        return
      }
      if (window.webContents.isCrashed()) window.webContents.reload()
      if (window.isMinimized()) window.restore()
      window.show()
      window.focus()
      if (path !== undefined) send('navigate', path)
      showNotice(window)
    },
    showLater(notice) {
      pendingNotice = notice
    },
    isShowing: (path) =>
      window?.isFocused() === true && URL.parse(window.webContents.getURL())?.hash === `#${path}`,
    send,
    reload: () => window?.webContents.reload(),
    confirmDiscard,
  }
}

/** macOS leaves a black screen if a full-screen window is hidden. */
function hide(window: BrowserWindow): void {
  if (process.platform === 'darwin' && window.isFullScreen()) {
    window.once('leave-full-screen', () => window.hide())
    window.setFullScreen(false)
  } else window.hide()
}
