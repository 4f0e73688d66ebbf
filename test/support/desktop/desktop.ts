/** Starts and drives the desktop app, for specs that run on Electron and on its stand-in alike. */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Page } from 'playwright'
import { electronBinary } from '../../../build/electron-binary.ts'
import type { Quirk } from '../electron-double/quirks.ts'
import type { ForeignCall, Probe, Probed } from './probe.ts'
import { launchElectron, runElectron } from './real.ts'
import { launchStandIn } from './stand-in.ts'

export const root = join(import.meta.dirname, '../../..')
export const mainFile = join(root, 'dist/electron/main.js')

export interface LaunchOptions {
  readonly env: Readonly<Record<string, string>>
  readonly args: readonly string[]
}

/** A running app. */
export interface Driven {
  /** The page of the window, once it is open. */
  page(): Promise<Page>
  probe(name: keyof Probe, ...args: unknown[]): Promise<unknown>
  /** Sends a signal to the main process. */
  signal(name: NodeJS.Signals): void
  /** Resolves with the exit code. */
  readonly exited: Promise<number | null>
}

export type Launch = (options: LaunchOptions) => Promise<Driven>

const binary = electronBinary()
if (!binary && process.env.REQUIRE_ELECTRON === '1') {
  throw new Error('REQUIRE_ELECTRON=1, but there is no binary of Electron')
}
const launchApp: Launch = binary ? (options) => launchElectron(binary, options) : launchStandIn
const launchSecond = async (options: LaunchOptions): Promise<number | null> =>
  binary ? runElectron(binary, options) : (await launchStandIn(options)).exited

/** Whether the specs run on the stand-in, which has a keyring and faults that a spec can choose. */
export const isStandIn = binary === undefined

process.stderr.write(
  binary
    ? `desktop specs run in Electron (${binary})\n`
    : 'desktop specs run in the stand-in for Electron, which has no binary here\n',
)

export interface PlaceOptions {
  readonly port?: number
  /** Whether the desktop has a tray. `later`: after `showTray`. `refused`: it rejects the icon. */
  readonly hasTray?: boolean | 'later' | 'refused'
  /** The command that reaches the desktop bus; the others are not installed. */
  readonly busTool?: 'busctl' | 'gdbus'
  /** Paths of the states of the programs `tailscale` and `cloudflared`; without both, neither is installed. */
  readonly tailscale?: string
  readonly cloudflared?: string
  /** Secret of the system's keyring, former secrets on further lines; empty for no keyring. */
  readonly keyring?: string
  readonly quirks?: readonly Quirk[]
  /** The response to the first dialog. */
  readonly answer?: object
  readonly args?: readonly string[]
  /** Whether the stand-in runs a bundle, which starts faster, and not the files of `dist/electron`. True by default. */
  readonly isBundled?: boolean
  /** The link that starts the app by an event, as on macOS. */
  readonly link?: string
}

/** Options of `expect.poll` for what another process does: it may take a while on a busy machine. */
export const soon = { timeout: 60_000 }

/** A machine with its folders, port and keyring, on which the app can be started several times. */
export class Machine {
  readonly folder: string
  readonly dataDir: string
  port: number
  /** Folder of settings, secrets and logs; set by the first start. */
  desktopFolder = ''
  #running: App[] = []

  private constructor(folder: string, port: number) {
    this.folder = folder
    this.dataDir = join(folder, 'data')
    this.port = port
  }

  static async create(): Promise<Machine> {
    return new Machine(await mkdtemp(join(tmpdir(), 'pds-desktop-')), await freePort())
  }

  get endpoint(): string {
    return `http://localhost:${this.port}`
  }

  get log(): string {
    return readFileSync(join(this.desktopFolder, 'logs/pds.log'), 'utf8')
  }

  async start(options: PlaceOptions = {}): Promise<App> {
    const app = new App(await launchApp({ env: this.#environment(options), args: options.args ?? [] }))
    this.#running.push(app)
    if (this.desktopFolder === '') this.desktopFolder = (await app.look()).userData
    return app
  }

  /** Starts the app and waits for its exit. @returns the exit code */
  startAgain(options: PlaceOptions = {}): Promise<number | null> {
    return launchSecond({ env: this.#environment(options), args: options.args ?? [] })
  }

  /** Makes the tray of `hasTray: 'later'` appear. */
  showTray(): Promise<void> {
    return writeFile(join(this.folder, 'tray'), '')
  }

  #environment(options: PlaceOptions) {
    const { hasTray = true, busTool, keyring = 'keyring', link = '', port, ...more } = options
    const { tailscale, cloudflared } = more
    const programs = (tailscale ?? cloudflared) ? [join(import.meta.dirname, '../tunnels')] : []
    const bus = join(import.meta.dirname, 'bus', busTool ?? 'all')
    return {
      // On macOS the keychain is in the home folder.
      ...(process.platform !== 'darwin' && { HOME: this.folder }),
      XDG_CONFIG_HOME: join(this.folder, 'config'),
      PDS_DATA_DIR: this.dataDir,
      PDS_PORT: String(port ?? this.port),
      PDS_RATE_LIMITS: 'off',
      PATH: busTool ? bus : [bus, ...programs, process.env.PATH].join(delimiter),
      FAKE_TAILSCALE: tailscale ?? '',
      FAKE_CLOUDFLARED: cloudflared ?? '',
      NODE: process.execPath,
      DESKTOP_BUS_TRAY: String(hasTray),
      ELECTRON_DOUBLE_BUNDLED: String(more.isBundled ?? true),
      ELECTRON_DOUBLE_KEYRING: keyring,
      ELECTRON_DOUBLE_QUIRKS: (more.quirks ?? []).join(','),
      DESKTOP_PROBE_LINK: link,
      DESKTOP_PROBE_ANSWER: more.answer ? JSON.stringify(more.answer) : '',
    }
  }

  /** Quits the running apps and removes the folders. */
  async close(): Promise<void> {
    for (const app of this.#running) await app.quit()
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** A started app. */
export class App {
  readonly #driven: Driven

  constructor(driven: Driven) {
    this.#driven = driven
  }

  page(): Promise<Page> {
    return this.#driven.page()
  }

  look(): Promise<Probed> {
    return this.#driven.probe('look') as Promise<Probed>
  }

  clickTray = (label: string) => this.#driven.probe('clickTray', label)
  clickMenu = (menu: string, label: string) => this.#driven.probe('clickMenu', menu, label)
  clickNotification = (title: string) => this.#driven.probe('clickNotification', title)
  /** Responds to the open dialog, or else to the next one. */
  answer = (value: object) => this.#driven.probe('answer', value)
  closeWindow = () => this.#driven.probe('closeWindow')
  moveWindow = (bounds: object) => this.#driven.probe('moveWindow', bounds)
  /** Emits the event of a crashed renderer process. */
  crashPage = () => this.#driven.probe('crashPage')
  blurWindow = () => this.#driven.probe('blurWindow')
  failNotification = (title: string) => this.#driven.probe('failNotification', title)
  unlockKeyring = () => this.#driven.probe('unlockKeyring')
  /** Throws an uncaught error. */
  fail = (how: 'throw' | 'reject') => this.#driven.probe('fail', how)
  openLink = (link: string) => this.#driven.probe('openLink', link)
  awake = () => this.#driven.probe('awake') as Promise<number>
  usePower = (supply: 'mains' | 'battery') => this.#driven.probe('usePower', supply)
  resume = () => this.#driven.probe('resume')
  shutDown = () => this.#driven.probe('shutDown')
  foreignCall = (call: ForeignCall) => this.#driven.probe('call', call)

  signal(name: NodeJS.Signals): void {
    this.#driven.signal(name)
  }

  get exited(): Promise<number | null> {
    return this.#driven.exited
  }

  async quit(): Promise<number | null> {
    this.#driven.probe('quit').catch(() => {})
    return this.#driven.exited
  }
}

/** Below the ports that the system hands out, and apart from those of other test processes: none is taken before the app binds it. */
let nextPort = 20_000 + ((process.pid * 50) % 12_000)

export async function freePort(): Promise<number> {
  for (;;) {
    const port = nextPort++
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ port, host: '127.0.0.1' }, () => probe.close(() => resolve(true)))
  })
}
