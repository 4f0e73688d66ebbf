/**
 * A scripted desktop bridge, for tests of screens and their calls. The real main process and preload script have tests
 * of their own in `test/e2e/desktop`.
 */
import type {
  Channel,
  ConnectorView,
  DesktopBridge,
  DesktopCalls,
  DesktopEvents,
  LogLine,
  MailServer,
  OutboxMessage,
  Outcome,
  Restored,
  RestorePoint,
  RestorePreview,
  SalvagePreview,
  ServerState,
  Settings,
  SettingsView,
  TunnelView,
} from '../../../electron/ground/bridge.ts'
import { defaultSettings, initialSettings } from '../../../electron/settings/settings.ts'
import type { Page } from '../page/browser.ts'
import type { Account } from '../server/server.ts'

export const settings: Settings = { ...initialSettings, port: '2583', checkForUpdates: false }

const mail: MailServer = {
  host: '',
  port: '465',
  security: 'tls',
  user: '',
  from: 'Personal data server <no-reply@localhost>',
}

export const content: RestorePreview = {
  createdAt: '2026-01-01T03:00:00.000Z',
  bytes: 1_240_000,
  handles: ['alice.test', 'bob.test'],
  records: 1204,
  notifications: 312,
  blobs: 40,
  missingBlobs: 2,
}

export const salvage: SalvagePreview = {
  from: 'database',
  backup: undefined,
  damaged: [],
  keptTransactions: 12,
  lostTransactions: 0,
  isExact: true,
  keptUntil: undefined,
  writtenUntil: undefined,
  unread: [],
}

export const restored: Restored = {
  at: '2026-01-01T03:00:00.000Z',
  missingMedia: 0,
  replaced: '/home/alice/.local/share/desktop-pds-before',
}

export const copyKey = `AGE-SECRET-KEY-1${'QPZRY9X8GF'.repeat(6).slice(0, 58)}`

type Handlers = {
  -readonly [C in Channel]: (
    ...args: Parameters<DesktopCalls[C]>
  ) => ReturnType<DesktopCalls[C]> | Promise<ReturnType<DesktopCalls[C]>>
}

export const done = <T>(value: T): Outcome<T> => ({ ok: true, value })
export const failed = (message: string): Outcome<never> => ({ ok: false, message })

export class ScriptedDesktop {
  readonly endpoint: string
  /** All calls so far: channel, then arguments. */
  readonly calls: unknown[][] = []
  /** Whether the page has reported unsaved changes. */
  unsaved = false
  /** Whether the page has reported that a closed window must keep it. */
  held = false
  state: ServerState
  view: SettingsView
  outbox: OutboxMessage[] = []
  log: LogLine[] = []
  /** Of this computer. */
  backups: readonly RestorePoint[] = []
  tunnel: TunnelView = { state: 'absent', isPublic: false }
  connector: ConnectorView = { state: 'absent', isPublic: false, target: 'http://localhost:2583' }
  /** Accounts with a session when the page loads. */
  accounts: Account[] = []
  hasSource = true
  /** The handler of each channel. Tests replace them. */
  readonly handlers: Handlers
  readonly #pages: Page[] = []
  readonly #deleted = new Map<string, OutboxMessage>()

  constructor(endpoint: string) {
    this.endpoint = endpoint
    this.state = this.running()
    this.view = {
      settings,
      defaults: { ...defaultSettings({}), publicUrl: 'http://localhost:2583' },
      mail,
      hasMailPassword: false,
      dataFolder: '/home/alice/.local/share/desktop-pds',
      secretProtection: 'system',
      hasTray: true,
    }
    this.handlers = this.#defaultHandlers()
  }

  running(): ServerState {
    const port = Number(new URL(this.endpoint).port)
    return { kind: 'running', endpoint: this.endpoint, port, since: new Date().toISOString() }
  }

  /** The arguments of each call of a channel. */
  callsOf(channel: Channel): unknown[][] {
    return this.calls.filter(([called]) => called === channel).map(([, ...args]) => args)
  }

  /** Installs the bridge in a page, from its next load on. */
  async attach(page: Page): Promise<void> {
    this.#pages.push(page)
    await page.exposeFunction('desktopCall', (channel: Channel, args: never[]) => {
      this.calls.push([channel, ...args])
      return (this.handlers[channel] as (...args: never[]) => unknown)(...args)
    })
    await page.exposeFunction('desktopHeld', (isHeld: boolean) => {
      this.held = isHeld
    })
    await page.exposeFunction('desktopUnsaved', (isUnsaved: boolean) => {
      this.unsaved = isUnsaved
    })
    const sessions = JSON.stringify(this.accounts.map((account) => ({ ...account, password: undefined })))
    const { endpoint, hasSource, state: initialState } = this
    await page.addInitScript(installBridge, { endpoint, hasSource, initialState, sessions })
  }

  async emit<E extends keyof DesktopEvents>(event: E, value: DesktopEvents[E]): Promise<void> {
    const detail = { event, value }
    const dispatch = `dispatchEvent(new CustomEvent('desktop', { detail: ${JSON.stringify(detail)} }))`
    for (const page of this.#pages) await page.evaluate(dispatch)
  }

  async setState(state: ServerState): Promise<void> {
    this.state = state
    await this.emit('serverState', state)
  }

  async addMessage(message: OutboxMessage): Promise<void> {
    this.outbox.push(message)
    await this.emit('outbox', this.outbox.length)
  }

  #defaultHandlers(): Handlers {
    const setState = async (state: ServerState) => {
      await this.setState(state)
      return state
    }
    return {
      'server.state': () => this.state,
      'server.start': () => setState(this.running()),
      'server.stop': () => setState({ kind: 'stopped' }),
      'server.restart': () => setState(this.running()),
      'server.freePort': () => 2584,
      'settings.view': () => this.view,
      'settings.change': (changes) => {
        this.view = { ...this.view, settings: { ...this.view.settings, ...changes } }
        return {}
      },
      'mail.change': (changed, password) => {
        const hasMailPassword = this.view.hasMailPassword || password !== undefined
        this.view = { ...this.view, mail: changed, hasMailPassword }
        return {}
      },
      'mail.test': () => done(undefined),
      'outbox.list': () => this.outbox,
      'outbox.delete': (id) => {
        const message = this.outbox.find((one) => one.id === id)
        if (message) this.#deleted.set(id, message)
        this.outbox = this.outbox.filter((one) => one.id !== id)
        return message !== undefined
      },
      'outbox.restore': (id) => {
        const message = this.#deleted.get(id)
        if (message) this.outbox.push(message)
        return message !== undefined
      },
      'outbox.test': () => done(undefined),
      'backups.replaced': () => [],
      'restore.undo': () => done('/home/alice/data/replaced-2'),
      'backups.forget': () => done(undefined),
      'backups.export': () => done('/home/alice/server.age'),
      'restore.chooseFile': () => done({ file: 'server.age', encrypted: true }),
      'restore.points': ({ from }) => ({
        problems: {},
        points: from === 'backups' ? this.backups : [{ at: '2026-01-02T10:00:00.000Z' }],
      }),
      'restore.preview': () => done(content),
      'restore.run': () => done(restored),
      'restore.cancel': () => undefined,
      'salvage.preview': () => done(salvage),
      'salvage.run': async () => {
        await setState(this.running())
        return done('/home/alice/.local/share/desktop-pds/replaced-1')
      },
      'repository.export': () => done('/home/alice/alice.test.car'),
      'factors.remove': () => done(undefined),
      'copies.chooseFolder': () => '/media/disk',
      'copies.isElsewhere': () => false,
      'copies.continue': () => done(undefined),
      'copies.saveSheet': () => done('/media/disk/recovery-sheet.txt'),
      'copies.chooseKey': () => done(copyKey),
      'tunnel.view': () => this.tunnel,
      'tunnel.open': () => this.tunnel,
      'tunnel.close': () => this.tunnel,
      'tunnel.keepHandle': () => undefined,
      'tunnel.openPage': () => undefined,
      'connector.view': () => this.connector,
      'connector.open': () => ({}),
      'connector.close': () => undefined,
      'logs.read': (cursor = '0') => ({
        lines: this.log.slice(Number(cursor)),
        cursor: String(this.log.length),
      }),
      'updates.check': () => ({ kind: 'current', checkedAt: new Date().toISOString() }),
      'app.openFolder': () => undefined,
      'app.openPage': () => undefined,
      'app.openAnswer': () => done(undefined),
      'app.quit': () => undefined,
    }
  }
}

/** Runs in the page before its scripts. */
function installBridge({
  endpoint,
  hasSource,
  initialState,
  sessions,
}: Pick<DesktopBridge, 'endpoint' | 'hasSource' | 'initialState'> & { readonly sessions: string }): void {
  // biome-ignore lint/suspicious/noExplicitAny: globals of the page have no types here
  const page = globalThis as any
  const storageKey = 'desktop.sessions'
  page.desktop = {
    endpoint,
    hasSource,
    initialState,
    platform: 'linux',
    version: { app: '0.1.0', electron: '45.4.1', node: '24.12.0', chrome: '146.0.0.0' },
    sessions: {
      initial: page.sessionStorage.getItem(storageKey) ?? sessions,
      save: (changed: string) => page.sessionStorage.setItem(storageKey, changed),
    },
    initialScroll: 0,
    setScroll: () => {},
    setUnsaved: page.desktopUnsaved,
    setHeld: page.desktopHeld,
    call: (channel: string, ...args: unknown[]) => page.desktopCall(channel, args),
    on(event: string, listener: (value: unknown) => void) {
      const handle = ({ detail }: { detail: { event: string; value: unknown } }) => {
        if (detail.event === event) listener(detail.value)
      }
      page.addEventListener('desktop', handle)
      return () => page.removeEventListener('desktop', handle)
    },
  }
}
