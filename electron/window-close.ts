/** What closing the window does: it quits the app, hides the window in the tray, or asks. */
import { type BrowserWindow, dialog } from 'electron'
import type { SettingsFile } from './settings-file.ts'
import { t } from './strings.ts'

export interface CloseOptions {
  readonly settings: SettingsFile
  /** Whether the tray shows our icon, so that the window can close to it. */
  readonly findTray: () => Promise<boolean>
  readonly quit: () => void
  /** Called when the window was closed to the tray. */
  readonly onHidden: () => void
}

export async function closeWindow(window: BrowserWindow, options: CloseOptions): Promise<void> {
  if (!options.settings.get('settings').closeToTray) return options.quit()
  if (await options.findTray()) {
    hide(window)
    return options.onHidden()
  }
  const { message, detail, quit, minimize, cancel } = t.closing
  const buttons = [quit, minimize, cancel]
  const question = { type: 'question', message, detail, buttons, defaultId: 0, cancelId: 2 } as const
  const { response } = await dialog.showMessageBox(window, question)
  if (buttons[response] === quit) options.quit()
  if (buttons[response] === minimize) window.minimize()
}

/** Asks whether to quit and discard what the page has not saved. */
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
