/** The one window: its position, its crashes, and how the main process reaches its page. */

import { join } from 'node:path'
import { BrowserWindow, dialog, screen, type WebContents } from 'electron'
import type { Logger } from '../../server/util/log.ts'
import type { DesktopEvents } from '../ground/bridge.ts'
import type { Bus } from '../ground/bus.ts'
import { built } from '../ground/folders.ts'
import { pageUrl } from '../ground/protocol.ts'
import { productName, t } from '../ground/strings.ts'
import { wire } from '../ground/wire.ts'
import type { Quitting } from '../server/quit.ts'
import type { SettingsFile } from '../settings/settings-file.ts'
import { minSize, placeOn, type WindowPlace } from '../settings/window-place.ts'
import { ask } from '../system/dialogs.ts'
import { icon } from '../system/icons.ts'
import { loadPage, revealWhenReady } from './page-load.ts'

export interface MainWindow {
  /** Undefined until it is first shown. */
  readonly browserWindow: BrowserWindow | undefined
  /** Brings it to the front, on a screen if one is given. */
  show(screen?: string): void
  /** Whether the window has the focus and is on this screen. */
  isShowing(screen: string): boolean
  send<E extends keyof DesktopEvents>(event: E, value: DesktopEvents[E]): void
  /** Reloads the page on its current screen. */
  reload(): void
  /** Asks whether to quit and discard unsaved changes of the page. */
  confirmDiscard(): Promise<boolean>
  /** Shows a message at the next opening: for a notification that the system could not show. */
  showLater(notice: Notice): void
}

export interface Notice {
  readonly title: string
  readonly body: string
}

export interface WindowDeps {
  readonly file: SettingsFile
  readonly quitting: Quitting
  readonly bus: Bus
  readonly log: Logger
}

/** A page that crashes twice within this time is not reloaded, but only when the window is shown again. */
const crashLoopMs = 10_000

export function setupWindow({ file, quitting, bus, log }: WindowDeps): MainWindow {
  const { isQuitting } = quitting
  const reloadAfterCrash = createCrashReload(log)
  let window: BrowserWindow | undefined
  let pendingNotice: Notice | undefined

  function open(path: string): BrowserWindow {
    const areas = screen.getAllDisplays().map(({ workArea }) => workArea)
    const { maximized, ...place } = placeOn(areas, file.get('window'))
    const opened = createBrowserWindow(place)
    opened.on('close', (event) => {
      savePosition(opened, file, log)
      if (isQuitting()) return
      event.preventDefault()
      bus.emit('windowClose', opened)
    })
    // Windows does not wait at the end of a session. Acknowledged writes are on disk already.
    opened.on('session-end', quitting.end)
    opened.webContents.on('render-process-gone', (_, { reason }) =>
      reloadAfterCrash(opened.webContents, reason),
    )
    opened.on('closed', () => {
      window = undefined
    })
    const reveal = revealWhenReady(opened, maximized === true)
    void loadPage(opened, { url: `${pageUrl}#${path}`, reveal, isQuitting, log })
    return opened
  }

  function showPendingNotice(opened: BrowserWindow): void {
    if (!pendingNotice) return
    const { title, body } = pendingNotice
    pendingNotice = undefined
    void dialog.showMessageBox(opened, { type: 'info', message: title, detail: body })
  }

  const send: MainWindow['send'] = (event, value) => window?.webContents.send(wire.event, event, value)
  return {
    get browserWindow() {
      return window
    },
    show(path) {
      if (!window) {
        window = open(path ?? '/')
        return
      }
      bringToFront(window)
      if (path !== undefined) send('navigate', path)
      showPendingNotice(window)
    },
    showLater(notice) {
      pendingNotice = notice
    },
    isShowing: (path) =>
      window?.isFocused() === true && URL.parse(window.webContents.getURL())?.hash === `#${path}`,
    send,
    reload: () => window?.webContents.reload(),
    async confirmDiscard() {
      if (!window) return true
      window.show()
      const { quit, stay } = t.unsaved
      return (await ask(window, t.unsaved, [quit, stay], { preferred: 1 })) === quit
    },
  }
}

function createBrowserWindow(place: Partial<WindowPlace>): BrowserWindow {
  return new BrowserWindow({
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
}

/** A full disk must not keep the window from closing. */
function savePosition(window: BrowserWindow, file: SettingsFile, log: Logger): void {
  try {
    file.set('window', { ...window.getNormalBounds(), maximized: window.isMaximized() })
  } catch (error) {
    log.warn({ err: error }, 'window position not saved')
  }
}

/** Returns a function that reloads a crashed page, unless it crashed shortly before. */
function createCrashReload(log: Logger): (contents: WebContents, reason: string) => void {
  let crashedAt = Number.NEGATIVE_INFINITY
  return (contents, reason) => {
    log.error({ reason }, 'page crashed')
    const isFirst = performance.now() - crashedAt > crashLoopMs
    crashedAt = performance.now()
    if (isFirst && reason !== 'clean-exit') contents.reload()
  }
}

function bringToFront(window: BrowserWindow): void {
  if (window.webContents.isCrashed()) window.webContents.reload()
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}
