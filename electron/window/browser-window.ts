/** The window of Electron: how it is made, shown and left. */
import { join } from 'node:path'
import { BrowserWindow, type WebContents } from 'electron'
import { built } from '../ground/folders.ts'
import { productName } from '../ground/strings.ts'
import { minSize, type WindowPlace } from '../settings/window-place.ts'
import { icon } from '../system/icons.ts'

/** Creates the window, hidden. */
export function createBrowserWindow(place: Partial<WindowPlace>): BrowserWindow {
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

/** The path of the screen that a page shows. */
export function pathOf(contents: WebContents): string {
  return URL.parse(contents.getURL())?.hash.slice(1) || '/'
}

/** macOS leaves a black screen if a full-screen window is hidden. */
export function leaveFullScreen(window: BrowserWindow, then: () => void): void {
  if (process.platform === 'darwin' && window.isFullScreen()) {
    window.once('leave-full-screen', then)
    window.setFullScreen(false)
  } else then()
}

export function bringToFront(window: BrowserWindow): void {
  if (window.webContents.isCrashed()) window.webContents.reload()
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}
