/** Electron's interfaces to the system: tray, menus, notifications, dialogs, clipboard, keyring, theme, displays. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { driver, notifyDriver } from './driver.ts'
import { hasQuirk, takeQuirk } from './quirks.ts'

interface Template {
  label?: string
  role?: string
  type?: string
  enabled?: boolean
  checked?: boolean
  submenu?: Template[]
  click?: (item: MenuItem) => void
}

export class MenuItem {
  readonly label: string
  readonly role: string | undefined
  readonly type: string
  readonly enabled: boolean
  checked: boolean
  readonly submenu: Menu | undefined
  readonly click: () => void

  constructor(template: Template) {
    const { label, role, type, enabled = true, checked = false, submenu, click } = template
    this.label = label ?? role ?? ''
    this.role = role
    this.type = type ?? (submenu ? 'submenu' : 'normal')
    this.enabled = enabled
    this.checked = checked
    this.submenu = submenu && Menu.buildFromTemplate(submenu)
    this.click = () => {
      if (!this.enabled) return
      if (this.type === 'checkbox') this.checked = !this.checked
      click?.(this)
    }
  }
}

export class Menu {
  static #application: Menu | null = null

  static buildFromTemplate(template: Template[]): Menu {
    return new Menu(template.map((one) => new MenuItem(one)))
  }

  static setApplicationMenu(menu: Menu | null): void {
    Menu.#application = menu
  }

  static getApplicationMenu(): Menu | null {
    return Menu.#application
  }

  readonly items: readonly MenuItem[]

  constructor(items: readonly MenuItem[] = []) {
    this.items = items
  }
}

export class Tray extends EventEmitter {
  setToolTip(_text: string): void {}
  setContextMenu(_menu: Menu): void {}
  destroy(): void {}
}

export class Notification extends EventEmitter {
  static isSupported(): boolean {
    return true
  }

  readonly title: string
  readonly body: string

  constructor({ title, body = '' }: { title: string; body?: string }) {
    super()
    this.title = title
    this.body = body
  }

  show(): void {}
  close(): void {}
}

const unanswered = () => Promise.reject(new Error('no response for this dialog'))

export const dialog = {
  showMessageBox: unanswered,
  showSaveDialog: unanswered,
  showOpenDialog: unanswered,
  showErrorBox(title: string, content: string): void {
    process.stderr.write(`${title}: ${content}\n`)
  },
}

export const shell = { openExternal: async () => {}, openPath: async () => '' }

let copied = ''
export const clipboard = {
  async writeText(text: string): Promise<void> {
    if (hasQuirk('clipboard-fails')) throw new Error('the clipboard is not available')
    copied = text
  },
  readText: async () => copied,
}

/** `ELECTRON_DOUBLE_KEYRING`: the secret of the keyring, former secrets on further lines. Empty: no keyring. */
const [keyring = '', ...former] = (process.env.ELECTRON_DOUBLE_KEYRING ?? '').split('\n')
const keyOf = (secret: string) => createHash('sha256').update(secret).digest()

/** Chromium's prefix of encrypted bytes on Linux: `v11` for a key of the keyring, `v10` for its fixed key. */
const prefix = Buffer.from(hasQuirk('keyring-v10') ? 'v10' : 'v11')

function unseal(prefixed: Buffer, secret: string): string {
  const bytes = prefixed.subarray(prefix.length)
  const cipher = createDecipheriv('aes-256-gcm', keyOf(secret), bytes.subarray(0, 12))
  cipher.setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([cipher.update(bytes.subarray(28)), cipher.final()]).toString('utf8')
}

const unlocked = Promise.withResolvers<void>()
if (!hasQuirk('keyring-hangs')) unlocked.resolve()

export const safeStorage = {
  unlock: () => unlocked.resolve(),
  async isAsyncEncryptionAvailable() {
    await unlocked.promise
    return keyring !== ''
  },
  getSelectedStorageBackend: () => (keyring === '' ? 'basic_text' : 'gnome_libsecret'),
  async encryptStringAsync(text: string): Promise<Buffer> {
    await unlocked.promise
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', keyOf(keyring), nonce)
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([prefix, nonce, cipher.getAuthTag(), sealed])
  },
  async decryptStringAsync(bytes: Buffer) {
    await unlocked.promise
    if (takeQuirk('keyring-unavailable-once'))
      throw new Error('safeStorage.decryptStringAsync is temporarily unavailable. Please try again.')
    try {
      return { result: unseal(bytes, keyring), shouldReEncrypt: false }
    } catch (error) {
      if (former[0] === undefined) throw error
      return { result: unseal(bytes, former[0]), shouldReEncrypt: true }
    }
  },
}

let theme = 'system'
export const nativeTheme = {
  get themeSource() {
    return theme
  },
  set themeSource(source: string) {
    theme = source
    notifyDriver('theme', source)
  },
}

export const screen = {
  getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }],
}

/**
 * As in `lib/browser/api/power-monitor.ts` of Electron, where the first listener starts the native monitor before it is counted:
 * if the first listener is for `shutdown`, Linux never sends that event.
 */
class PowerMonitor extends EventEmitter {
  #sendsShutdown = process.platform !== 'linux'

  constructor() {
    super()
    this.once('newListener', () => {
      if (process.platform !== 'linux') return
      this.#sendsShutdown = this.listenerCount('shutdown') > 0
      this.on('newListener', (event) => {
        if (event === 'shutdown') this.#sendsShutdown = true
      })
      this.on('removeListener', (event) => {
        if (event === 'shutdown') this.#sendsShutdown = this.listenerCount('shutdown') > 0
      })
    })
  }

  /** Simulates a shutdown of the system. */
  shutDown(event: object): void {
    if (this.#sendsShutdown) this.emit('shutdown', event)
  }
}

export const powerMonitor = new PowerMonitor()

/** Blockers that were started and not stopped. */
const blockers = new Set<number>()
let lastBlocker = 0
export const powerSaveBlocker = {
  start(type: 'prevent-app-suspension' | 'prevent-display-sleep'): number {
    if (type !== 'prevent-app-suspension') throw new Error('The screen may turn off')
    blockers.add(++lastBlocker)
    return lastBlocker
  },
  stop: (id: number) => blockers.delete(id),
  isStarted: (id: number) => blockers.has(id),
}

class NativeImage {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }
}

export const nativeImage = {
  createFromPath: (path: string) => new NativeImage(path),
  createFromBitmap: () => new NativeImage(''),
}

type Permission = (contents: null, permission: string, origin: string) => boolean
let mayUse: Permission = () => true

export const session = {
  defaultSession: {
    setPermissionCheckHandler(handler: Permission): void {
      mayUse = handler
    },
    setPermissionRequestHandler(): void {},
    setDevicePermissionHandler(): void {},
  },
}

type Handler = (request: Request) => Promise<Response>
const schemes = new Map<string, Handler>()

export const protocol = {
  registerSchemesAsPrivileged(): void {},
  handle(scheme: string, handler: Handler): void {
    schemes.set(scheme, handler)
  },
}

driver.handlers.set('permission', (permission: string, origin: string) => mayUse(null, permission, origin))

driver.handlers.set('protocol', async (url: string, method: string) => {
  const handler = schemes.get(new URL(url).protocol.replace(':', ''))
  if (!handler) return { status: 404, headers: {}, body: new Uint8Array() }
  const response = await handler(new Request(url, { method }))
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: new Uint8Array(await response.arrayBuffer()),
  }
})
