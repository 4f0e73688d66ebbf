/** Closing the window: it quits the app, hides the window in the tray, or asks. */

import { type BrowserWindow, dialog } from 'electron'
import type { Bus } from '../ground/bus.ts'
import { t } from '../ground/strings.ts'
import type { Quitting } from '../server/quit.ts'
import type { SettingsFile } from '../settings/settings-file.ts'
import { notify } from '../system/notify.ts'
import type { DesktopTray } from './tray.ts'
import type { MainWindow } from './window.ts'

export interface ClosingDeps {
  readonly file: SettingsFile
  readonly window: MainWindow
  readonly tray: DesktopTray
  readonly quitting: Quitting
  readonly bus: Bus
}

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

/** macOS leaves a black screen if a full-screen window is hidden. */
function hide(window: BrowserWindow): void {
  if (process.platform === 'darwin' && window.isFullScreen()) {
    window.once('leave-full-screen', () => window.hide())
    window.setFullScreen(false)
  } else window.hide()
}
