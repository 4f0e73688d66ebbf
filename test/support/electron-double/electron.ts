/**
 * A stand-in for the module `electron`, as far as our main process uses it. Windows are pages of a real Chromium that the driver of
 * this process has. What differs from the real one: the page is not in a sandboxed process of Electron's, preload and page share one
 * world, `app://` is a host name of the browser, and what the system would do (tray, notifications, keyring) is only noted.
 */
export { app } from './app.ts'
export { ipcMain } from './ipc.ts'
export {
  clipboard,
  dialog,
  Menu,
  MenuItem,
  Notification,
  nativeImage,
  nativeTheme,
  powerMonitor,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
} from './system.ts'
export { BrowserWindow } from './window.ts'
