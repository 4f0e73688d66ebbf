/** Closing the window: it quits the app, leaves it in the tray, or asks. */

import type { BrowserWindow } from 'electron'
import type { Bus } from '../ground/bus.ts'
import { t } from '../ground/strings.ts'
import type { Quitting } from '../server/quit.ts'
import type { SettingsFile } from '../settings/settings-file.ts'
import { ask } from '../system/dialogs.ts'
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
    deps.window.closeToTray()
    return showNoticeOnce(deps)
  }
  const { quit, minimize, cancel } = t.closing
  const answer = await ask(window, t.closing, [quit, minimize, cancel])
  if (answer === quit) deps.quitting.quit()
  if (answer === minimize) window.minimize()
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
