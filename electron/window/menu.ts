/** The application menu. Items with a role are the system's commands, with the system's labels and shortcuts. */
import { app, Menu, type MenuItemConstructorOptions } from 'electron'
import { sentenceOf } from '../../server/operation/replicas/restores/sentence.ts'
import type { Logger } from '../../server/util/log.ts'
import { t } from '../ground/strings.ts'
import type { Actions } from '../server/actions.ts'
import { notify } from '../system/notify.ts'
import type { MainWindow } from './window.ts'

export interface MenuDeps {
  readonly window: Pick<MainWindow, 'show'>
  readonly actions: Actions
  makeBackup(): Promise<{ readonly at: Date }>
  readonly log: Logger
}

type Items = MenuItemConstructorOptions[]

const isMac = process.platform === 'darwin'
const separator = { type: 'separator' } as const

export function setupMenu(deps: MenuDeps): void {
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(isMac ? [{ label: app.name, submenu: macItems(deps) }] : []),
      { label: t.menu.file, submenu: fileItems(deps) },
      { label: t.menu.edit, submenu: editItems },
      { label: t.menu.view, submenu: viewItems },
      { label: t.menu.go, submenu: screenItems(deps) },
      { role: 'windowMenu' },
      { role: 'help', label: t.menu.help, submenu: helpItems(deps) },
    ]),
  )
}

const aboutItem = ({ window }: MenuDeps) => ({ label: t.menu.about, click: () => window.show('/about') })

const settingsItem = ({ window }: MenuDeps) => ({
  label: t.menu.settings,
  accelerator: 'CmdOrCtrl+,',
  click: () => window.show('/server'),
})

const macItems = (deps: MenuDeps): Items => [
  aboutItem(deps),
  separator,
  settingsItem(deps),
  separator,
  { role: 'hide' },
  { role: 'hideOthers' },
  { role: 'unhide' },
  separator,
  { role: 'quit' },
]

function fileItems(deps: MenuDeps): Items {
  const { window, actions } = deps
  return [
    { label: t.menu.open, click: () => window.show() },
    { label: t.menu.copyEndpoint, accelerator: 'CmdOrCtrl+Shift+C', click: actions.copyEndpoint },
    { label: t.menu.backUp, click: () => void backUp(deps) },
    ...(isMac ? [] : [separator, settingsItem(deps)]),
    separator,
    { role: 'close' },
    ...(isMac ? [] : [{ role: 'quit' } as const]),
  ]
}

async function backUp({ window, makeBackup, log }: MenuDeps): Promise<void> {
  const text = await makeBackup().then(
    ({ at }) => t.backedUp(at.toISOString()),
    (error: unknown) => {
      log.warn({ err: error }, 'backup failed')
      return t.notBackedUp(sentenceOf(error))
    },
  )
  notify(text, () => window.show('/backups'))
}

const editItems: Items = [
  { role: 'undo' },
  { role: 'redo' },
  separator,
  { role: 'cut' },
  { role: 'copy' },
  { role: 'paste' },
  { role: 'selectAll' },
]

const viewItems: Items = [
  { role: 'resetZoom' },
  { role: 'zoomIn' },
  { role: 'zoomOut' },
  separator,
  { role: 'togglefullscreen' },
]

const screenItems = ({ window }: MenuDeps): Items =>
  Object.entries(t.screens).map(([path, label], index) => ({
    label,
    accelerator: `CmdOrCtrl+${index + 1}`,
    click: () => window.show(path),
  }))

const helpItems = (deps: MenuDeps): Items => [
  { label: t.menu.openInBrowser, click: () => deps.actions.openPage('endpoint') },
  { label: t.menu.dataFolder, click: () => deps.actions.openFolder('data') },
  { label: t.menu.logFolder, click: () => deps.actions.openFolder('logs') },
  ...(isMac ? [] : [separator, aboutItem(deps)]),
]
