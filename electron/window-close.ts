/** Closing the window: it quits the app, hides the window in the tray, or asks. */
import { type BrowserWindow, dialog } from 'electron'
import { notify } from './native-notifications.ts'
import type { Parts } from './parts.ts'
import { t } from './strings.ts'

export type ClosingDeps = Pick<Parts, 'file' | 'window' | 'tray' | 'quitting' | 'bus'>

export function setupClosing(deps: ClosingDeps): void {
  deps.bus.on('windowClose', (window) => void close(window, deps))
}

async function close(window: BrowserWindow, deps: ClosingDeps): Promise<void> {
  if (!deps.file.get('settings').closeToTray) return deps.quitting.quit()
  if (await deps.tray.find()) {
    hide(window)
    return showNoticeOnce(deps)
  }
  const { message, detail, quit, minimize, cancel } = t.closing
  const buttons = [quit, minimize, cancel]
  const question = { type: 'question', message, detail, buttons, defaultId: 0, cancelId: 2 } as const
  const { response } = await dialog.showMessageBox(window, question)
  if (buttons[response] === quit) deps.quitting.quit()
  if (buttons[response] === minimize) window.minimize()
}

/** Says that the server goes on, after the first time. */
function showNoticeOnce({ file, window }: ClosingDeps): void {
  if (file.get('closeNoticeShown')) return
  file.set('closeNoticeShown', true)
  notify(
    t.stillRunning,
    () => window.show(),
    () => window.showLater(t.stillRunning),
  )
}

/** Asks whether to quit and discard unsaved changes of the page. */
export async function confirmDiscard(window: BrowserWindow): Promise<boolean> {
  window.show()
  const { message, detail, quit, stay } = t.unsaved
  const buttons = [quit, stay]
  const question = { type: 'question', message, detail, buttons, defaultId: 1, cancelId: 1 } as const
  const { response } = await dialog.showMessageBox(window, question)
  return buttons[response] === quit
}

/** macOS leaves a black screen if a full-screen window is hidden. */
function hide(window: BrowserWindow): void {
  if (process.platform === 'darwin' && window.isFullScreen()) {
    window.once('leave-full-screen', () => window.hide())
    window.setFullScreen(false)
  } else window.hide()
}
