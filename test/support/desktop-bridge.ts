/**
 * A bridge whose other end is the spec itself: stands in for the desktop's main process where a spec is about what a screen
 * shows and asks for. What the real main process and preload script do is the subject of the desktop's own specs.
 */
import type {
  BackupContent,
  Channel,
  DesktopBridge,
  DesktopCalls,
  DesktopEvents,
  MailSettings,
  OutboxMessage,
  Outcome,
  ServerState,
  Settings,
  SettingsView,
} from '../../electron/bridge.ts'
import type { Page } from './browser.ts'
import type { Account } from './server.ts'

export const settings: Settings = {
  port: '2583',
  networkAccess: false,
  hostnames: '',
  publicUrl: '',
  userDomains: '',
  inviteRequired: false,
  inviteInterval: '',
  aliases: '',
  plcUrl: '',
  logLevel: 'info',
  automaticBackups: true,
  startAtLogin: false,
  closeToTray: true,
  nativeNotifications: true,
  theme: 'system',
  checkForUpdates: false,
}

const mail: MailSettings = {
  host: '',
  port: '465',
  security: 'tls',
  user: '',
  from: 'Personal data server <no-reply@localhost>',
}

const content: BackupContent = {
  createdAt: '2026-01-01T03:00:00.000Z',
  bytes: 1_240_000,
  handles: ['alice.test', 'bob.test'],
  records: 1204,
  notifications: 312,
}

type Answers = {
  -readonly [C in Channel]: (
    ...args: Parameters<DesktopCalls[C]>
  ) => ReturnType<DesktopCalls[C]> | Promise<ReturnType<DesktopCalls[C]>>
}

export const done = <T>(value: T): Outcome<T> => ({ ok: true, value })
export const refused = (message: string): Outcome<never> => ({ ok: false, message })

export class ScriptedDesktop {
  readonly endpoint: string
  /** Every call so far: the channel, then its arguments. */
  readonly calls: unknown[][] = []
  /** The badge of the app's icon. */
  unread = 0
  /** Whether the page has told that it holds something unsaved. */
  unsaved = false
  state: ServerState
  view: SettingsView
  outbox: OutboxMessage[] = []
  /** Accounts that are signed in from the start. */
  accounts: Account[] = []
  hasSource = true
  /** What is answered, by channel. A spec puts its own in place of these. */
  readonly answers: Answers
  readonly #pages: Page[] = []
  readonly #deleted = new Map<string, OutboxMessage>()

  constructor(endpoint: string) {
    this.endpoint = endpoint
    this.state = this.running()
    this.view = {
      settings,
      defaults: {
        ...settings,
        publicUrl: 'http://localhost:2583',
        userDomains: '.test',
        aliases: 'com.atproto=com.core,app.bsky=app.example,chat.bsky=chat.example',
      },
      mail,
      hasMailPassword: false,
      dataFolder: '/home/alice/.local/share/desktop-pds',
      secretProtection: 'system',
      hasTray: true,
    }
    this.answers = this.#usualAnswers()
  }

  running(): ServerState {
    const port = Number(new URL(this.endpoint).port)
    return { kind: 'running', endpoint: this.endpoint, port, since: new Date().toISOString() }
  }

  /** Calls made on a channel, by their arguments. */
  callsOf(channel: Channel): unknown[][] {
    return this.calls.filter(([called]) => called === channel).map(([, ...args]) => args)
  }

  /** Gives a page the bridge, from its next load on. */
  async attach(page: Page): Promise<void> {
    this.#pages.push(page)
    await page.exposeFunction('desktopCall', (channel: Channel, args: never[]) => {
      this.calls.push([channel, ...args])
      return (this.answers[channel] as (...args: never[]) => unknown)(...args)
    })
    await page.exposeFunction('desktopUnread', (count: number) => {
      this.unread = count
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
    const tell = `dispatchEvent(new CustomEvent('desktop', { detail: ${JSON.stringify(detail)} }))`
    for (const page of this.#pages) await page.evaluate(tell)
  }

  async become(state: ServerState): Promise<void> {
    this.state = state
    await this.emit('serverState', state)
  }

  async receive(message: OutboxMessage): Promise<void> {
    this.outbox.push(message)
    await this.emit('outbox', this.outbox.length)
  }

  #usualAnswers(): Answers {
    const become = async (state: ServerState) => {
      await this.become(state)
      return state
    }
    return {
      'server.state': () => this.state,
      'server.start': () => become(this.running()),
      'server.stop': () => become({ kind: 'stopped' }),
      'server.restart': () => become(this.running()),
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
      'backups.list': () => [],
      'backups.make': () => done({ name: 'new', createdAt: new Date().toISOString(), bytes: 1_240_000 }),
      'backups.check': () => done(undefined),
      'backups.preview': () => done(content),
      'backups.restore': () => done('/home/alice/.local/share/desktop-pds-before'),
      'backups.export': () => done('/home/alice/server.pds-backup'),
      'backups.choose': () => done({ file: 'server.pds-backup', encrypted: true }),
      'backups.previewChosen': () => done(content),
      'backups.import': () => done('/home/alice/.local/share/desktop-pds-before'),
      'repository.export': () => done('/home/alice/alice.test.car'),
      'logs.tail': () => [],
      'updates.check': () => ({ kind: 'current', checkedAt: new Date().toISOString() }),
      'app.openFolder': () => undefined,
      'app.openPage': () => undefined,
      'app.quit': () => undefined,
    }
  }
}

/** Runs in the page, before its own scripts. */
function installBridge({
  endpoint,
  hasSource,
  initialState,
  sessions,
}: Pick<DesktopBridge, 'endpoint' | 'hasSource' | 'initialState'> & { readonly sessions: string }): void {
  // biome-ignore lint/suspicious/noExplicitAny: the page has globals that the tests do not
  const page = globalThis as any
  const kept = 'desktop.sessions'
  page.desktop = {
    endpoint,
    hasSource,
    initialState,
    platform: 'linux',
    version: { app: '0.1.0', electron: '45.4.1', node: '24.12.0', chrome: '146.0.0.0' },
    sessions: {
      initial: page.sessionStorage.getItem(kept) ?? sessions,
      save: (changed: string) => page.sessionStorage.setItem(kept, changed),
    },
    setUnread: page.desktopUnread,
    setUnsaved: page.desktopUnsaved,
    call: (channel: string, ...args: unknown[]) => page.desktopCall(channel, args),
    on(event: string, listener: (value: unknown) => void) {
      const hear = ({ detail }: { detail: { event: string; value: unknown } }) => {
        if (detail.event === event) listener(detail.value)
      }
      page.addEventListener('desktop', hear)
      return () => page.removeEventListener('desktop', hear)
    },
  }
}
