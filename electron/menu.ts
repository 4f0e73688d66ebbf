/** The application menu. Its roles are the system's own commands, with the system's own words and keys. */
import { app, Menu, type MenuItemConstructorOptions } from 'electron'
import { t } from './strings.ts'

export interface MenuActions {
  /** Brings the window to the front, on a screen. */
  readonly show: (screen?: string) => void
  readonly copyEndpoint: () => void
  readonly backUp: () => void
  readonly openInBrowser: () => void
  readonly openFolder: (which: 'data' | 'logs') => void
}

type Items = MenuItemConstructorOptions[]

export function setMenu(actions: MenuActions): void {
  const isMac = process.platform === 'darwin'
  const about: Items = [{ label: t.menu.about, click: () => actions.show('/about') }]
  const settings: Items = [
    { label: t.menu.settings, accelerator: 'CmdOrCtrl+,', click: () => actions.show('/server') },
  ]
  const ofMac: Items = [
    ...about,
    { type: 'separator' },
    ...settings,
    { type: 'separator' },
    { role: 'hide' },
    { role: 'hideOthers' },
    { role: 'unhide' },
    { type: 'separator' },
    { role: 'quit' },
  ]
  const file: Items = [
    { label: t.menu.open, click: () => actions.show() },
    { label: t.menu.copyEndpoint, accelerator: 'CmdOrCtrl+Shift+C', click: actions.copyEndpoint },
    { label: t.menu.backUp, click: actions.backUp },
    ...(isMac ? [] : [{ type: 'separator' } as const, ...settings]),
    { type: 'separator' },
    { role: 'close' },
    ...(isMac ? [] : [{ role: 'quit' } as const]),
  ]
  const edit: Items = [
    { role: 'undo' },
    { role: 'redo' },
    { type: 'separator' },
    { role: 'cut' },
    { role: 'copy' },
    { role: 'paste' },
    { role: 'selectAll' },
  ]
  const view: Items = [
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { type: 'separator' },
    { role: 'togglefullscreen' },
  ]
  const go: Items = Object.entries(t.screens).map(([path, label], place) => ({
    label,
    accelerator: `CmdOrCtrl+${place + 1}`,
    click: () => actions.show(path),
  }))
  const help: Items = [
    { label: t.menu.openInBrowser, click: actions.openInBrowser },
    { label: t.menu.dataFolder, click: () => actions.openFolder('data') },
    { label: t.menu.logFolder, click: () => actions.openFolder('logs') },
    ...(isMac ? [] : [{ type: 'separator' } as const, ...about]),
  ]
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(isMac ? [{ label: app.name, submenu: ofMac }] : []),
      { label: t.menu.file, submenu: file },
      { label: t.menu.edit, submenu: edit },
      { label: t.menu.view, submenu: view },
      { label: t.menu.go, submenu: go },
      { role: 'windowMenu' },
      { role: 'help', label: t.menu.help, submenu: help },
    ]),
  )
}
