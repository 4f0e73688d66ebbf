/**
 * A stand-in for the module `electron`, as far as our main process uses it. Windows are pages of a real Chromium in the driver's
 * process. Differences from Electron: the page is not in Electron's sandbox, preload and page share one world, `app://` is a host
 * name, and the system's parts (tray, notifications, keyring) only record calls. `quirks.ts` lists the faults it can simulate.
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
  powerSaveBlocker,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
} from './system.ts'
export { BrowserWindow } from './window.ts'
