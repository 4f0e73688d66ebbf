/** Drives the stand-in: the main process as a child, its windows as pages of a real Chromium. */
import { fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Frame, Page, Request, Route } from 'playwright'
import { createRpc, type Rpc } from '../electron-double/rpc.ts'
import { launchBrowser } from '../page/browser.ts'
import { type Driven, type LaunchOptions, mainFile, root } from './desktop.ts'

const run = join(import.meta.dirname, '../electron-double/run.ts')
/** The folder of the bundles, if there are any; see `build/test-servers.ts`. */
const bundles = process.env.PDS_TEST_SERVERS

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>

/** Chromium has no scheme `app`: this host replaces it. A loopback address is a secure context. */
const appHost = 'http://127.0.0.99'
const appUrl = 'app://pds'
const toBrowser = (url: string) => url.replace(appUrl, appHost)
const toApp = (url: string) => url.replace(appHost, appUrl)

/** Each app compiles the same files. Without it for coverage, which needs code that was compiled in the process. */
const compileCache: Readonly<Record<string, string>> = process.env.NODE_V8_COVERAGE
  ? {}
  : { NODE_COMPILE_CACHE: join(tmpdir(), 'pds-compile-cache') }

/** An app runs for seconds: to optimise its code, and to collect its small heap often, would take a fifth of its CPU time. */
const shortLived = [
  '--no-opt',
  '--liftoff-only',
  '--external-memory-accounted-in-global-limit',
  '--initial-old-space-size=256',
]

let shared: Promise<Browser> | undefined
/** Apps by process id, to pass a second start on to the first. */
const running = new Map<number, Rpc>()

/** Without local network checks, which Electron leaves to the app's permission handler. */
const browser = () => {
  shared ??= launchBrowser([], ['LocalNetworkAccessChecks'])
  return shared
}

/** Permissions by Chromium's name, with Electron's name. */
const permissions = {
  geolocation: 'geolocation',
  notifications: 'notifications',
  camera: 'media',
  microphone: 'media',
  'clipboard-read': 'clipboard-read',
  'clipboard-write': 'clipboard-sanitized-write',
} as const

export async function launchStandIn({ env, args }: LaunchOptions): Promise<Driven> {
  const main = bundles && env.ELECTRON_DOUBLE_BUNDLED === 'true' ? join(bundles, 'desktop.js') : mainFile
  const child = fork(run, [main, ...args], {
    cwd: root,
    env: { ...process.env, ...env, ...compileCache },
    serialization: 'advanced',
    execArgv: [
      // As Electron sets it.
      '--unhandled-rejections=warn-with-error-code',
      ...shortLived,
    ],
  })
  const rpc = createRpc(child)
  const pages = new Map<number, Promise<Page>>()
  let loaded = Promise.withResolvers<Page>()
  /** The storage of the session, which outlives the windows. */
  let storage: Promise<StorageState | undefined> = Promise.resolve(undefined)
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  if (child.pid) running.set(child.pid, rpc)
  void exited.then(async () => {
    running.delete(child.pid ?? 0)
    loaded.promise.catch(() => {})
    loaded.reject(new Error('the app has ended'))
    for (const page of pages.values()) await page.then((one) => one.context().close()).catch(() => {})
  })
  const pageOf = (id: number) => pages.get(id) ?? Promise.reject(new Error(`there is no window ${id}`))

  const handlers: Record<string, (...args: never[]) => unknown> = {
    'window.create': (id: number, options: Omit<WindowOptions, 'storageState'>) => {
      pages.set(
        id,
        storage.then((storageState) => createPage(rpc, id, { ...options, storageState })),
      )
    },
    'window.load': async (id: number, url: string) => {
      const page = await pageOf(id)
      try {
        await page.goto(toBrowser(url))
      } finally {
        // A load that was aborted by a reload ends with the load event of that reload.
        await page.waitForLoadState().catch(() => {})
        loaded.resolve(page)
      }
    },
    'window.destroy': async (id: number) => {
      const closing = pageOf(id)
      pages.delete(id)
      loaded = Promise.withResolvers()
      storage = closing.then((page) => page.context().storageState())
      await storage
      await (await closing).context().close()
    },
    'page.reload': async (id: number) => void (await (await pageOf(id)).reload()),
    'page.send': async (id: number, channel: string, values: unknown[]) => {
      const page = await pageOf(id)
      await page.evaluate(([name, given]) => globalThis.electronDouble?.receive(name, given), [
        channel,
        values,
      ] as const)
    },
    theme: async (source: string) => {
      const colorScheme = source === 'system' ? null : (source as 'light' | 'dark')
      for (const page of pages.values()) await (await page).emulateMedia({ colorScheme })
    },
    'second-instance': (pid: number, argv: string[]) => running.get(pid)?.call('app.second-instance', argv),
    exiting: () => {},
  }
  for (const [name, handler] of Object.entries(handlers)) rpc.handlers.set(name, handler)

  return {
    page: () => loaded.promise,
    probe: (name, ...given) => rpc.call('probe', name, given),
    signal: (name) => child.kill(name),
    exited,
  }
}

interface WindowOptions {
  readonly width: number
  readonly height: number
  readonly preload: string
  readonly storageState: StorageState | undefined
}

async function createPage(rpc: Rpc, id: number, options: WindowOptions): Promise<Page> {
  const { width, height, preload, storageState } = options
  const context = await (await browser()).newContext({
    ...(storageState && { storageState }),
    viewport: { width, height },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await grant(rpc, context)
  await guard(rpc, id, page)
  await connect(rpc, id, page)
  await page.addInitScript(preloadScript(await readFile(preload, 'utf8')))
  return page
}

/** Grants the permissions that the app's handler allows. */
async function grant(rpc: Rpc, context: BrowserContext): Promise<void> {
  const asked = Object.entries(permissions).map(
    async ([name, electron]) => [name, await rpc.call('permission', electron, `${appUrl}/`)] as const,
  )
  const granted = (await Promise.all(asked)).filter(([, may]) => may).map(([name]) => name)
  await context.grantPermissions(granted)
}

/** Intercepts requests: the app serves its own files, and decides on navigation and new windows. */
async function guard(rpc: Rpc, id: number, page: Page): Promise<void> {
  const context = page.context()
  page.on('framenavigated', (frame: Frame) => {
    if (frame === page.mainFrame()) void rpc.call('page.url', id, toApp(frame.url())).catch(() => {})
  })
  page.on('popup', async (popup) => {
    const action = await rpc.call('page.open', id, popup.url()).catch(() => 'deny')
    if (action === 'deny') await popup.close().catch(() => {})
  })
  const answer = async (route: Route): Promise<void> => {
    const request = route.request()
    const url = toApp(request.url())
    if (request.isNavigationRequest()) {
      const isPopup = !page.mainFrame() || isOfAnother(request, page)
      const isAllowed = isPopup
        ? (await rpc.call('page.open', id, url)) === 'allow'
        : url.startsWith(`${appUrl}/`) || (await rpc.call('page.navigation', id, url))
      if (!isAllowed) return route.abort('aborted')
    }
    if (!url.startsWith(`${appUrl}/`)) {
      // As Electron sends it: the server recognizes the app window by its origin. Chromium permits only this way to replace it.
      if (!['fetch', 'xhr'].includes(request.resourceType()) || hasUnknownBody(request))
        return route.continue()
      const headers = { ...request.headers(), origin: appUrl }
      return route.fulfill({ response: await route.fetch({ headers, maxRedirects: 0, timeout: 0 }) })
    }
    const { status, headers, body } = (await rpc.call('protocol', url, request.method())) as {
      status: number
      headers: Record<string, string>
      body: Uint8Array
    }
    return route.fulfill({ status, headers, body: Buffer.from(body) })
  }
  // Requests during the end of the app get no response.
  await context.route('**/*', (route) => answer(route).catch(() => route.abort().catch(() => {})))
}

/** Playwright does not show the bytes of files that a page uploads. */
function hasUnknownBody(request: Request): boolean {
  return (
    request.method() === 'POST' &&
    request.headers()['content-type'] !== undefined &&
    request.postDataBuffer() === null
  )
}

/** The first request of a page that was just opened has no frame yet. */
function isOfAnother(request: { frame(): Frame }, page: Page): boolean {
  try {
    return request.frame().page() !== page
  } catch {
    return true
  }
}

/** Passes messages of the preload script to the main process, with their frame. */
async function connect(rpc: Rpc, id: number, page: Page): Promise<void> {
  const frameOf = (frame: Frame): object => ({ url: toApp(frame.url()), parent: frame.parentFrame() && {} })
  await page.exposeBinding('electronDoubleCall', async ({ frame }, kind, channel, args) =>
    rpc.call(kind, id, frameOf(frame), channel, args),
  )
  // Synchronous messages use a dialog: only that blocks a page until there is a response.
  page.on('dialog', async (dialog) => {
    const { name, args } = JSON.parse(dialog.message())
    const frame = { url: toApp(page.url()), parent: null }
    const given = name === 'ipc.sendSync' ? [frame, ...args] : args
    const answer = await rpc.call(name, id, ...given).catch(() => null)
    await dialog.accept(JSON.stringify(answer)).catch(() => {})
  })
}

declare global {
  var electronDouble: { receive(channel: string, args: readonly unknown[]): void } | undefined
}

/** The preload script with a `require` that has `electron` only, as in the sandbox. */
function preloadScript(source: string): string {
  return `{
    const call = globalThis.electronDoubleCall
    delete globalThis.electronDoubleCall
    const listeners = new Map()
    const freeze = (value) => {
      for (const one of Object.values(value)) if (typeof one === 'object' && one !== null) freeze(one)
      return Object.freeze(value)
    }
    const ask = (name, ...args) => JSON.parse(prompt(JSON.stringify({ name, args })) ?? 'null')
    const { open } = globalThis
    globalThis.open = (url, ...more) => (ask('page.open', url) === 'allow' ? open(url, ...more) : null)
    const electron = {
      contextBridge: {
        exposeInMainWorld: (name, api) => Object.defineProperty(globalThis, name, { value: freeze(api) }),
      },
      ipcRenderer: {
        invoke: (channel, ...args) => call('ipc.invoke', channel, args),
        send: (channel, ...args) => void call('ipc.send', channel, args),
        sendSync: (channel, ...args) => ask('ipc.sendSync', channel, args),
        on: (channel, listener) => listeners.set(channel, [...(listeners.get(channel) ?? []), listener]),
        off: (channel, listener) =>
          listeners.set(channel, (listeners.get(channel) ?? []).filter((one) => one !== listener)),
      },
    }
    Object.defineProperty(globalThis, 'electronDouble', {
      value: { receive: (channel, args) => { for (const listener of listeners.get(channel) ?? []) listener({}, ...args) } },
    })
    const require = (name) => {
      if (name === 'electron') return electron
      throw new Error('a sandboxed preload script cannot require ' + name)
    }
    if (self === top) ((require, exports) => { ${source}\n })(require, {})
  }`
}
