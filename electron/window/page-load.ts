/** Loads the page and shows its window. Relies on no single event, so that the window always appears. */
import type { BrowserWindow } from 'electron'
import type { Logger } from '../../server/util/log.ts'
import { t } from '../ground/strings.ts'
import { ask } from '../system/dialogs.ts'

/** The window is shown after this time even without an event. */
const revealMs = 3000

/**
 * Shows a new window once: on `ready-to-show`, or on `did-finish-load` where a compositor suppresses the former, or after 3 s.
 * @returns a function that shows it at once
 */
export function revealWhenReady(window: BrowserWindow, maximized: boolean): () => void {
  let isRevealed = false
  const reveal = () => {
    if (isRevealed || window.isDestroyed()) return
    isRevealed = true
    if (maximized) window.maximize()
    window.show()
  }
  const timer = setTimeout(reveal, revealMs)
  window.once('ready-to-show', reveal)
  window.webContents.once('did-finish-load', reveal)
  window.once('show', () => {
    isRevealed = true
    clearTimeout(timer)
  })
  window.once('closed', () => clearTimeout(timer))
  return reveal
}

export interface LoadDeps {
  readonly url: string
  readonly reveal: () => void
  readonly isQuitting: () => boolean
  readonly log: Logger
}

/** Loads the page. If that fails, shows the window with a dialog that offers to load it again. */
export async function loadPage(window: BrowserWindow, deps: LoadDeps): Promise<void> {
  try {
    await window.loadURL(deps.url)
  } catch (error) {
    // A reload during the load aborts it; the reload goes on.
    const isAborted = (error as NodeJS.ErrnoException).code === 'ERR_ABORTED'
    if (isAborted || window.isDestroyed() || deps.isQuitting()) return
    deps.log.error({ err: error }, 'page load failed')
    deps.reveal()
    const { reload, close } = t.loadFailed
    if ((await ask(window, t.loadFailed, [reload, close], { type: 'error' })) === reload)
      await loadPage(window, deps)
  }
}
