import { EventEmitter } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { driver, notifyDriver } from './driver.ts'
import { BrowserWindow } from './window.ts'

/** An event with `preventDefault`. */
export function preventable<T extends object>(more: T) {
  return {
    ...more,
    defaultPrevented: false,
    preventDefault() {
      this.defaultPrevented = true
    },
  }
}

class App extends EventEmitter {
  name = 'Electron'
  readonly isPackaged = false
  readonly #ready = Promise.withResolvers<void>()
  readonly #paths = new Map<string, string>()
  #lock: string | undefined
  #badge = 0
  #isReady = false
  #hardwareAcceleration = true
  readonly #removedSwitches = new Set<string>()
  #login = { openAtLogin: false }

  setName(name: string): void {
    this.name = name
  }

  getVersion(): string {
    return '0.1.0'
  }

  getAppPath(): string {
    return process.cwd()
  }

  getPath(name: string): string {
    const config = process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config')
    const usual: Record<string, string> = {
      home: homedir(),
      appData: config,
      userData: join(config, this.name),
      temp: tmpdir(),
    }
    const path = this.#paths.get(name) ?? usual[name]
    if (path === undefined) throw new Error(`Failed to get '${name}' path`)
    return path
  }

  setPath(name: string, path: string): void {
    if (!existsSync(path)) throw new Error(`Failed to set path: ${path} does not exist`)
    this.#paths.set(name, path)
  }

  setAppLogsPath(path: string): void {
    this.#paths.set('logs', path)
  }

  /** A lock file in the user data, as in Chromium. The driver passes the arguments of a second start on to the first. */
  requestSingleInstanceLock(): boolean {
    const folder = this.getPath('userData')
    mkdirSync(folder, { recursive: true })
    this.#lock = join(folder, 'SingletonLock')
    try {
      const file = openSync(this.#lock, 'wx')
      writeSync(file, String(process.pid))
      closeSync(file)
      return true
    } catch {
      const pid = Number(readFileSync(this.#lock, 'utf8'))
      if (!isAlive(pid)) {
        rmSync(this.#lock)
        return this.requestSingleInstanceLock()
      }
      this.#lock = undefined
      notifyDriver('second-instance', pid, process.argv)
      return false
    }
  }

  releaseSingleInstanceLock(): void {
    if (this.#lock) rmSync(this.#lock, { force: true })
    this.#lock = undefined
  }

  whenReady(): Promise<void> {
    return this.#ready.promise
  }

  /** Electron becomes ready after the main file has run to its end. */
  becomeReady(): void {
    this.#isReady = true
    this.#ready.resolve()
    this.emit('ready')
  }

  quit(): void {
    const event = preventable({})
    this.emit('before-quit', event)
    if (event.defaultPrevented) return
    for (const window of BrowserWindow.getAllWindows()) window.close()
    if (BrowserWindow.getAllWindows().length > 0) return
    this.emit('will-quit', preventable({}))
    this.exit()
  }

  exit(code = 0): void {
    if (this.#lock) rmSync(this.#lock, { force: true })
    // Messages that were sent before are delivered first.
    driver.call('exiting', code).finally(() => process.exit(code))
  }

  setBadgeCount(count: number): boolean {
    this.#badge = count
    return true
  }

  getBadgeCount(): number {
    return this.#badge
  }

  setLoginItemSettings(settings: { openAtLogin: boolean }): void {
    this.#login = settings
  }

  getLoginItemSettings() {
    return { ...this.#login, wasOpenedAtLogin: false }
  }

  readonly commandLine = {
    hasSwitch: (name: string): boolean =>
      !this.#removedSwitches.has(name) && process.argv.includes(`--${name}`),
  }

  /** Also removes the switch `no-sandbox`, as Electron does. */
  enableSandbox(): void {
    this.#assertNotReady('app.enableSandbox()')
    this.#removedSwitches.add('no-sandbox')
  }

  disableHardwareAcceleration(): void {
    this.#assertNotReady('app.disableHardwareAcceleration()')
    this.#hardwareAcceleration = false
  }

  isHardwareAccelerationEnabled(): boolean {
    return this.#hardwareAcceleration
  }

  #assertNotReady(call: string): void {
    if (this.#isReady) throw new Error(`${call} can only be called before app is ready`)
  }

  setAppUserModelId(): void {}

  setAsDefaultProtocolClient(): boolean {
    return true
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

export const app = new App()

driver.handlers.set('app.second-instance', (argv: string[]) => {
  app.emit('second-instance', preventable({}), argv, process.cwd())
})
