/**
 * The one window: its position, its crashes, and how the main process reaches its page. A window that is closed to the tray ends with
 * its renderer process, unless its page holds something. The next one continues on the same screen.
 */

import { type BrowserWindow, dialog, screen } from 'electron'
import type { Logger } from '../../server/util/log.ts'
import type { DesktopEvents } from '../ground/bridge.ts'
import type { Bus } from '../ground/bus.ts'
import { pageUrl } from '../ground/protocol.ts'
import { t } from '../ground/strings.ts'
import { wire } from '../ground/wire.ts'
import type { Quitting } from '../server/quit.ts'
import type { SettingsFile } from '../settings/settings-file.ts'
import { placeOn } from '../settings/window-place.ts'
import { ask } from '../system/dialogs.ts'
import { bringToFront, createBrowserWindow, leaveFullScreen, pathOf } from './browser-window.ts'
import { loadPage, revealWhenReady } from './page-load.ts'

export interface MainWindow {
  /** Undefined until it is first shown, and after it was closed to the tray. */
  readonly browserWindow: BrowserWindow | undefined
  /** Where the page is scrolled to, or was when it ended. */
  readonly scroll: number
  /** Brings it to the front, on a screen if one is given. */
  show(screen?: string): void
  /** Whether the window has the focus and is on this screen. */
  isShowing(screen: string): boolean
  /** Ends the window and its page once the page holds nothing. */
  closeToTray(): void
  /** Receives the state of the page. */
  report(changes: Partial<PageState>): void
  send<E extends keyof DesktopEvents>(event: E, value: DesktopEvents[E]): void
  /** Called when a page has begun to listen to events. Those of before are lost. */
  pageListens(): void
  /** Reloads the page on its current screen. */
  reload(): void
  /** Shows a message at the next opening: for a notification that the system could not show. */
  showLater(notice: Notice): void
}

/** What the page reports of itself. */
export interface PageState {
  readonly scroll: number
  /** Quitting would discard changes. */
  readonly isUnsaved: boolean
  /** More than that would be lost with the page. */
  readonly isHeld: boolean
}

const nothingHeld = { isUnsaved: false, isHeld: false } as const

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
  const isFirstCrash = createCrashCheck()
  let window: BrowserWindow | undefined
  let pendingNotice: Notice | undefined
  let page: PageState = { scroll: 0, ...nothingHeld }
  /** The screen on which the last page ended. */
  let lastPath = '/'
  let isInTray = false
  let isListening = false
  /** The screen that was asked for before the page listened. */
  let pendingPath: string | undefined

  function open(path: string): BrowserWindow {
    const areas = screen.getAllDisplays().map(({ workArea }) => workArea)
    const { maximized, ...place } = placeOn(areas, file.get('window'))
    const opened = createBrowserWindow(place)
    isListening = false
    pendingPath = undefined
    opened.on('close', (event) => {
      savePosition(opened, file, log)
      if (isQuitting()) return
      event.preventDefault()
      bus.emit('windowClose', opened)
    })
    // Windows does not wait at the end of a session. Acknowledged writes are on disk already.
    opened.on('session-end', quitting.end)
    opened.webContents.on('render-process-gone', (_, { reason }) => {
      log.error({ reason }, 'page crashed')
      if (window === opened) isListening = false
      report(nothingHeld)
      const isReloaded = isFirstCrash() && reason !== 'clean-exit'
      if (isReloaded && window === opened) opened.webContents.reload()
    })
    opened.once('show', () => showPendingNotice(opened))
    opened.on('closed', () => forget(opened))
    const reveal = revealWhenReady(opened, maximized === true)
    void loadPage(opened, { url: `${pageUrl}#${path}`, reveal, isQuitting, log })
    return opened
  }

  /** The next window may be open already. */
  function forget(closed: BrowserWindow): void {
    if (window !== closed) return
    window = undefined
    isInTray = false
    report(nothingHeld)
  }

  function report(changes: Partial<PageState>): void {
    page = { ...page, ...changes }
    quitting.setQuestion(page.isUnsaved ? confirmDiscard : undefined)
    leaveInTray()
  }

  /** Ends the window that was closed to the tray, or hides it while its page holds something. */
  function leaveInTray(): void {
    if (!window || !isInTray) return
    if (page.isUnsaved || page.isHeld) window.hide()
    else {
      const ending = window
      lastPath = pathOf(ending.webContents)
      forget(ending)
      ending.destroy()
    }
  }

  function bringBack(hidden: BrowserWindow): void {
    isInTray = false
    bringToFront(hidden)
  }

  async function confirmDiscard(): Promise<boolean> {
    if (!window) return true
    bringBack(window)
    const { quit, stay } = t.unsaved
    return (await ask(window, t.unsaved, [quit, stay], { preferred: 1 })) === quit
  }

  function showPendingNotice(opened: BrowserWindow): void {
    if (!pendingNotice) return
    const { title, body } = pendingNotice
    pendingNotice = undefined
    void dialog.showMessageBox(opened, { type: 'info', message: title, detail: body })
  }

  const send: MainWindow['send'] = (event, value) => window?.webContents.send(wire.event, event, value)

  function navigate(path: string): void {
    if (isListening) send('navigate', path)
    else pendingPath = path
  }

  return {
    get browserWindow() {
      return window
    },
    get scroll() {
      return page.scroll
    },
    show(path) {
      if (!window) {
        if (path !== undefined && path !== lastPath) page = { ...page, scroll: 0 }
        window = open(path ?? lastPath)
        return
      }
      bringBack(window)
      if (path !== undefined) navigate(path)
      showPendingNotice(window)
    },
    showLater(notice) {
      pendingNotice = notice
    },
    isShowing: (path) => window?.isFocused() === true && pathOf(window.webContents) === path,
    closeToTray() {
      if (window)
        leaveFullScreen(window, () => {
          isInTray = true
          leaveInTray()
        })
    },
    report,
    send,
    pageListens() {
      isListening = true
      if (pendingPath !== undefined) navigate(pendingPath)
      pendingPath = undefined
    },
    reload() {
      isListening = false
      window?.webContents.reload()
    },
  }
}

/** A full disk must not keep the window from closing. */
function savePosition(window: BrowserWindow, file: SettingsFile, log: Logger): void {
  try {
    file.set('window', { ...window.getNormalBounds(), maximized: window.isMaximized() })
  } catch (error) {
    log.warn({ err: error }, 'window position not saved')
  }
}

/** Returns a function to call at each crash: false if the one before was shortly before. */
function createCrashCheck(): () => boolean {
  let crashedAt = Number.NEGATIVE_INFINITY
  return () => {
    const isFirst = performance.now() - crashedAt > crashLoopMs
    crashedAt = performance.now()
    return isFirst
  }
}
