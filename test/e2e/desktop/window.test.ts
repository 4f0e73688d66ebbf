/** Tray, menu, window and page of a running app, and how it quits. */
import { readFileSync } from 'node:fs'
import { access, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, eventsOf, listen } from '../../support/desktop/bridge.ts'
import { type App, Machine, soon } from '../../support/desktop/desktop.ts'

const packageFile = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'))
const isMac = process.platform === 'darwin'

let machine: Machine
let app: App
let page: Page

beforeAll(async () => {
  machine = await Machine.create()
  app = await machine.start()
  page = await app.page()
  await call(page, 'server.start')
  await firstRender()
  await listen(page, 'navigate', 'serverState', 'settings')
})

afterAll(() => machine.close())

/** After its first render the page has reported that nothing is unsaved, and that a closed window must keep this first screen. */
async function firstRender(): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.evaluate('new Promise(requestIdleCallback)')
  // Messages arrive in order: after this response the reports have arrived too.
  await call(page, 'settings.view')
}

const firstWindow = async () => (await app.look()).windows[0]
const lastScreen = async () => (await eventsOf(page, 'navigate')).at(-1)
const trayItems = async () => (await app.look()).tray?.items ?? []
const trayItem = async (label: string) => (await trayItems()).find((item) => item.label === label)

describe('tray', () => {
  test('tooltip and first item show the state of the server', async () => {
    expect((await trayItems()).map(({ label }) => label)).toEqual([
      `Running at ${machine.endpoint}`,
      'Open Desktop PDS',
      'Copy address',
      'Stop server',
      'Start at login',
      'Quit',
    ])
    expect((await app.look()).tray?.toolTip).toBe(`Desktop PDS: Running at ${machine.endpoint}`)
  })

  test('Copy address copies the endpoint', async () => {
    await app.clickTray('Copy address')
    expect((await app.look()).clipboard).toBe(machine.endpoint)
  })

  test('Stop and Start control the server, and the page gets its states', async () => {
    await app.clickTray('Stop server')
    await expect.poll(() => trayItem('Start server'), soon).toBeDefined()
    expect(await trayItem('Copy address')).toMatchObject({ enabled: false })
    expect((await trayItems())[0]).toMatchObject({ label: 'Stopped' })
    await expect(fetch(machine.endpoint)).rejects.toThrow()

    await app.clickTray('Start server')
    await expect.poll(() => trayItem('Stop server').then((item) => item?.enabled), soon).toBe(true)
    const kinds = (await eventsOf(page, 'serverState')).map(({ kind }) => kind)
    expect(kinds).toEqual(['stopping', 'stopped', 'starting', 'running'])
  })

  test('Start at login writes and removes an autostart entry with --hidden', async () => {
    await app.clickTray('Start at login')
    await expect.poll(() => trayItem('Start at login'), soon).toMatchObject({ checked: true })
    expect((await eventsOf(page, 'settings')).at(-1)?.settings.startAtLogin).toBe(true)
    const entry = join(machine.folder, 'config/autostart/desktop-pds.desktop')
    if (process.platform === 'linux') expect(await readFile(entry, 'utf8')).toMatch(/^Exec=".+" "--hidden"$/m)
    await app.clickTray('Start at login')
    await expect.poll(() => trayItem('Start at login'), soon).toMatchObject({ checked: false })
    await expect(access(entry)).rejects.toThrow()
  })
})

describe('menu', () => {
  test('has the items of this system', async () => {
    const { menu } = await app.look()
    expect(menu).toMatchObject({
      File: [
        ...['Open Desktop PDS', 'Copy address', 'Back up now'],
        ...(isMac ? ['close'] : ['Server settings', 'close', 'quit']),
      ],
      Edit: ['undo', 'redo', 'cut', 'copy', 'paste', 'selectall'],
      View: ['resetzoom', 'zoomin', 'zoomout', 'togglefullscreen'],
      Go: ['Home', 'Inbox', 'Outbox', 'Backups', 'Logs'],
      Help: [
        ...['Open in browser', 'Open data folder', 'Open log folder'],
        ...(isMac ? [] : ['About Desktop PDS']),
      ],
      ...(isMac && {
        'Desktop PDS': [
          ...['About Desktop PDS', 'Server settings'],
          ...['hide', 'hideothers', 'unhide', 'quit'],
        ],
      }),
    })
  })

  test.each([
    [isMac ? 'Desktop PDS' : 'File', 'Server settings', '/server'],
    ['Go', 'Home', '/'],
    ['Go', 'Inbox', '/notifications'],
    ['Go', 'Outbox', '/outbox'],
    ['Go', 'Backups', '/backups'],
    ['Go', 'Logs', '/logs'],
    [isMac ? 'Desktop PDS' : 'Help', 'About Desktop PDS', '/about'],
  ])('%s, %s shows %s', async (menu, item, path) => {
    await app.clickMenu(menu, item)
    await expect.poll(lastScreen, soon).toBe(path)
  })

  test('items open folders and the server page, copy the address and make a backup', async () => {
    await app.clickMenu('Help', 'Open in browser')
    await app.clickMenu('Help', 'Open data folder')
    await app.clickMenu('Help', 'Open log folder')
    const expected = [machine.endpoint, machine.dataDir, join(machine.desktopFolder, 'logs')]
    await expect.poll(async () => (await app.look()).opened.toSorted(), soon).toEqual(expected.toSorted())

    await app.clickMenu('File', 'Copy address')
    expect((await app.look()).clipboard).toBe(machine.endpoint)

    await app.clickMenu('File', 'Back up now')
    await expect.poll(async () => (await app.look()).notifications.at(-1)?.title, soon).toBe('Backup created')
    await app.clickNotification('Backup created')
    await expect.poll(lastScreen, soon).toBe('/backups')
  })
})

describe('window', () => {
  test('closing leaves it in the tray with one notice, and the tray shows it again', async () => {
    const close = async () => {
      await app.closeWindow()
      await expect.poll(firstWindow, soon).toBeUndefined()
    }
    const notices = async () =>
      (await app.look()).notifications.filter(({ title }) => title === 'Desktop PDS is still running').length
    await close()
    await expect.poll(notices, soon).toBe(1)
    await app.clickNotification('Desktop PDS is still running')
    await app.page()
    await expect.poll(firstWindow, soon).toMatchObject({ visible: true, focused: true })

    await close()
    expect(await notices()).toBe(1)
    expect((await fetch(`${machine.endpoint}/xrpc/_health`)).status).toBe(200)
    await app.clickMenu('File', 'Open Desktop PDS')
    await app.page()
    await expect.poll(firstWindow, soon).toMatchObject({ visible: true })
    await close()
    await app.clickTray('Open Desktop PDS')
    page = await app.page()
    await expect.poll(firstWindow, soon).toMatchObject({ visible: true })
    await firstRender()
    await listen(page, 'navigate', 'serverState', 'settings')
  })

  test('links open known screens only', async () => {
    await app.openLink('desktop-pds://notifications')
    await expect.poll(lastScreen, soon).toBe('/notifications')
    await listen(page, 'navigate')
    for (const link of [
      'desktop-pds://nowhere',
      'desktop-pds://notifications/../server',
      'desktop-pds://constructor',
      'https://notifications',
      'desktop-pds:javascript:alert(1)',
    ]) {
      await app.openLink(link)
    }
    await app.openLink('desktop-pds:outbox')
    await expect.poll(lastScreen, soon).toBe('/outbox')
    expect(await eventsOf(page, 'navigate')).toEqual(['/outbox'])
  })

  test('a crashed page is reloaded once within ten seconds', async () => {
    const loaded = page.waitForEvent('load')
    expect(await app.crashPage()).toBe(true)
    await loaded
    expect(await app.crashPage()).toBe(false)
    expect(machine.log).toContain('page crashed')
    await listen(page, 'navigate', 'serverState', 'settings')
  })

  test('the theme setting applies at once', async () => {
    await call(page, 'settings.change', { theme: 'dark' })
    expect((await app.look()).theme).toBe('dark')
    await expect
      .poll(() => page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"), soon)
      .toBe(true)
    await call(page, 'settings.change', { theme: 'system' })
    expect((await app.look()).theme).toBe('system')
  })
})

describe('page', () => {
  test('its policy allows connections to the endpoint only', async () => {
    const { status, policy } = await page.evaluate(async () => {
      const answer = await fetch('./index.html').catch(() => undefined)
      return { status: answer?.status, policy: answer?.headers.get('content-security-policy') }
    })
    // The policy does not even allow fetching its own files.
    expect([status, policy]).toEqual([undefined, undefined])
    const answer = await page.reload()
    const directives = (answer?.headers()['content-security-policy'] ?? '').split('; ')
    expect(directives).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        `connect-src ${machine.endpoint} ${machine.endpoint.replace('http', 'ws')}`,
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]),
    )
    expect(directives.join()).not.toContain('unsafe')
    await listen(page, 'navigate', 'serverState', 'settings')
  })

  test('has the frozen bridge, and nothing of Node or Electron', async () => {
    const kinds = await page.evaluate(
      '[typeof require, typeof process, typeof module, typeof ipcRenderer, typeof desktop, Object.isFrozen(desktop)]',
    )
    expect(kinds).toEqual(['undefined', 'undefined', 'undefined', 'undefined', 'object', true])
    expect(await page.evaluate(() => desktop.version)).toMatchObject({
      app: '0.1.0',
      electron: expect.stringMatching(/^\d+\./),
      node: expect.stringMatching(/^\d+\./),
      chrome: expect.stringMatching(/^\d+\./),
    })
    expect(await page.evaluate(() => desktop.platform)).toBe(process.platform)
    expect(await page.evaluate(() => desktop.hasSource)).toBe('repository' in packageFile)
  })

  test.each(['https://evil.example/', 'http://pds.evil.example/', 'file:///etc/passwd'])(
    'cannot navigate to %s',
    async (address) => {
      const before = page.url()
      await page.evaluate((to) => {
        ;(globalThis as unknown as { location: { href: string } }).location.href = to
      }, address)
      // After a navigation this call would fail.
      expect(await page.evaluate(() => desktop.endpoint)).toBe(machine.endpoint)
      expect(page.url()).toBe(before)
    },
  )

  test('cannot open windows', async () => {
    expect(await page.evaluate("window.open('https://evil.example/') === null")).toBe(true)
    await expect.poll(() => machine.log.includes('new window blocked'), soon).toBe(true)
    await expect.poll(() => page.context().pages().length, soon).toBe(1)
  })

  test('may write to the clipboard, and has no other permission', async () => {
    const states = await page.evaluate(async () => {
      const { permissions } = (globalThis as unknown as { navigator: { permissions: Permissions } }).navigator
      interface Permissions {
        query(of: { name: string }): Promise<{ state: string }>
      }
      const names = [
        'geolocation',
        'notifications',
        'camera',
        'microphone',
        'clipboard-read',
        'clipboard-write',
      ]
      const asked = names.map(async (name) => [name, (await permissions.query({ name })).state])
      return Object.fromEntries(await Promise.all(asked))
    })
    expect(states).toEqual({
      geolocation: 'denied',
      notifications: 'denied',
      camera: 'denied',
      microphone: 'denied',
      'clipboard-read': 'denied',
      'clipboard-write': 'granted',
    })
  })
})

describe('quitting', () => {
  test('repeated requests quit once, and acknowledged writes and the window position are on disk', async () => {
    await app.moveWindow({ x: 200, y: 150, width: 900, height: 700 })
    const answers = await Promise.all(['alice', 'bob', 'carla'].map((name) => createAccount(machine, name)))
    // On Windows a signal would kill the process.
    if (process.platform !== 'win32') for (const _ of [1, 2]) app.signal('SIGTERM')
    await app.clickTray('Quit').catch(() => {})
    expect(await app.exited).toBe(0)

    app = await machine.start()
    page = await app.page()
    const listed = await Promise.all(
      answers.map(({ did }) => fetch(`${machine.endpoint}/xrpc/com.core.repo.describeRepo?repo=${did}`)),
    )
    expect(listed.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await firstWindow())?.bounds).toEqual({ x: 200, y: 150, width: 900, height: 700 })
    expect(machine.log).toContain('desktop ended')
    await app.quit()
  })

  test('unsaved changes ask for confirmation', async () => {
    app = await machine.start()
    page = await app.page()
    const quit = async (response: number) => {
      await app.answer({ response })
      await app.clickTray('Quit')
    }
    await firstRender()
    await page.evaluate(() => desktop.setUnsaved(true))
    // Messages arrive in order: after this response setUnsaved has arrived too.
    await call(page, 'settings.view')
    await app.closeWindow()
    await expect.poll(firstWindow, soon).toMatchObject({ visible: false })
    await quit(1)
    await expect.poll(firstWindow, soon).toMatchObject({ visible: true })
    expect((await fetch(`${machine.endpoint}/xrpc/_health`)).status).toBe(200)
    await quit(0).catch(() => {})
    expect(await app.exited).toBe(0)
  })

  test('a system shutdown quits without asking', async () => {
    app = await machine.start()
    page = await app.page()
    await page.evaluate(() => desktop.setUnsaved(true))
    expect(await app.shutDown()).toBe(true)
    expect(await app.exited).toBe(0)
  })

  test.runIf(process.platform === 'linux')(
    'without a tray, closing asks whether to quit or minimize',
    async () => {
      app = await machine.start({ hasTray: false })
      page = await app.page()
      expect((await app.look()).tray).toBe(null)
      expect((await call(page, 'settings.view')).hasTray).toBe(false)

      await app.answer({ response: 2 })
      await app.closeWindow()
      await expect.poll(async () => (await app.look()).dialogs, soon).toHaveLength(1)
      expect(await firstWindow()).toMatchObject({ visible: true, minimized: false })
      await app.answer({ response: 1 })
      await app.closeWindow()
      await expect.poll(firstWindow, soon).toMatchObject({ minimized: true })
      await app.answer({ response: 0 })
      await app.closeWindow()
      expect(await app.exited).toBe(0)
    },
  )

  test.runIf(process.platform === 'linux')(
    'closing hides the window if a tray has appeared since the start',
    async () => {
      app = await machine.start({ hasTray: 'later' })
      page = await app.page()
      await firstRender()
      await machine.showTray()
      await app.closeWindow()
      await expect.poll(firstWindow, soon).toMatchObject({ visible: false })
      expect((await app.look()).tray?.items).not.toEqual([])
      expect((await call(page, 'settings.view')).hasTray).toBe(true)
      await app.quit()
    },
  )

  test('without closeToTray, closing the window quits', async () => {
    app = await machine.start()
    page = await app.page()
    await call(page, 'settings.change', { closeToTray: false })
    await app.closeWindow()
    expect(await app.exited).toBe(0)
  })

  test('a system shutdown waits until the journal is in the database file', async () => {
    app = await machine.start()
    await call(await app.page(), 'server.start')
    await createAccount(machine, 'frieda')
    const journalBytes = async () => {
      const names = (await readdir(machine.dataDir)).filter((name) => name.endsWith('.journal'))
      const sizes = await Promise.all(
        names.map(async (name) => (await stat(join(machine.dataDir, name))).size),
      )
      return sizes.reduce((sum, size) => sum + size, 0)
    }
    const title = 64
    expect(await journalBytes()).toBeGreaterThan(title)
    expect(await app.shutDown()).toBe(true)
    expect(await app.exited).toBe(0)
    expect(await journalBytes()).toBe(title)
  })
})

async function createAccount({ endpoint }: Machine, name: string): Promise<{ did: string }> {
  const answer = await fetch(`${endpoint}/xrpc/com.core.server.createAccount`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ handle: `${name}.test`, password: `${name}-password` }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as { did: string }
}
