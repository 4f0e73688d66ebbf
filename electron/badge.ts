/** How many notifications are unread, on the icon of the program. */
import { app, type BrowserWindow } from 'electron'
import { dot } from './icons.ts'

export function showUnread(count: number, window: BrowserWindow | undefined): void {
  if (process.platform === 'win32')
    window?.setOverlayIcon(count > 0 ? dot() : null, count > 0 ? String(count) : '')
  else app.setBadgeCount(count)
}
