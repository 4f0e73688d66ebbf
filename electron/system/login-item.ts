/** Starting at login, without the window. Not seen on a real desktop yet. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { app } from 'electron'
import { productName } from '../ground/strings.ts'

export const hiddenFlag = '--hidden'

export function setStartAtLogin(on: boolean): void {
  if (process.platform === 'linux') setAutostart(on)
  else app.setLoginItemSettings({ openAtLogin: on, args: [hiddenFlag] })
}

/** Whether this start happened at login. */
export function startsHidden(): boolean {
  return (
    process.argv.includes(hiddenFlag) ||
    (process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin)
  )
}

/** Linux: a file in the autostart folder (Desktop Application Autostart Specification). */
function setAutostart(on: boolean): void {
  const config = process.env.XDG_CONFIG_HOME?.startsWith('/')
    ? process.env.XDG_CONFIG_HOME
    : join(homedir(), '.config')
  const file = join(config, 'autostart/desktop-pds.desktop')
  if (!on) {
    rmSync(file, { force: true })
    return
  }
  mkdirSync(dirname(file), { recursive: true })
  // An AppImage runs from a temporary mount; APPIMAGE is the path of the image itself.
  const program = process.env.APPIMAGE ?? process.execPath
  const command = [program, ...(app.isPackaged ? [] : [app.getAppPath()]), hiddenFlag]
  const lines = [
    '[Desktop Entry]',
    'Type=Application',
    `Name=${productName}`,
    `Exec=${command.map(quoted).join(' ')}`,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
}

/** Quotes an argument for the Exec key (Desktop Entry Specification). */
function quoted(argument: string): string {
  return `"${argument
    .replace(/[\\"`$]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`
}
