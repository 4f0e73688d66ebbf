/** The number of unread notifications on the app's icon. */
import { app, type BrowserWindow } from 'electron'
import { dot } from './icons.ts'

export function showUnread(count: number, window: BrowserWindow | undefined): void {
  if (process.platform === 'win32')
    window?.setOverlayIcon(count > 0 ? dot() : null, count > 0 ? String(count) : '')
  else app.setBadgeCount(count)
}
