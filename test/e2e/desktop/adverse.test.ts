/** Machines on which something is missing, slow or broken: the server still runs, and the window still appears. */
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../support/desktop/bridge.ts'
import { type App, isStandIn, Machine, soon } from '../../support/desktop/desktop.ts'
import { heading } from '../../support/server/world.ts'

const machines: Machine[] = []
const newMachine = async () => {
  const machine = await Machine.create()
  machines.push(machine)
  return machine
}
afterAll(() => Promise.all(machines.map((machine) => machine.close())))

const isLinux = process.platform === 'linux'
const firstWindow = async (app: App) => (await app.look()).windows[0]
const isHealthy = ({ endpoint }: Machine) =>
  fetch(`${endpoint}/xrpc/_health`).then(
    ({ status }) => status === 200,
    () => false,
  )

describe.runIf(isStandIn)('window', () => {
  test.each(['ready-to-show-never', 'load-events-never'] as const)(
    '%s: the window is still shown',
    async (quirk) => {
      const app = await (await newMachine()).start({ quirks: [quirk] })
      await expect.poll(() => firstWindow(app), soon).toMatchObject({ visible: true })
    },
  )

  test('a late ready-to-show does not bring back a window that was closed to the tray', async () => {
    const app = await (await newMachine()).start({ quirks: ['ready-to-show-late'] })
    await expect.poll(() => firstWindow(app), soon).toMatchObject({ visible: true })
    await heading(await app.page(), 'Create the first account').waitFor()
    await app.closeWindow()
    await expect.poll(() => firstWindow(app), soon).toMatchObject({ visible: false, focused: false })
  })

  test('a page that fails to load is reported in a dialog, which loads it again', async () => {
    const app = await (await newMachine()).start({ quirks: ['load-fails-once'], answer: { response: 0 } })
    await heading(await app.page(), 'Create the first account').waitFor()
    const { dialogs, windows } = await app.look()
    expect(dialogs).toEqual(['The window could not be loaded'])
    expect(windows[0]).toMatchObject({ visible: true })
  })
})

const kept = JSON.stringify([{ did: 'did:plc:abc', refreshJwt: 'a refresh token' }])
const initial = async (app: App) => (await app.page()).evaluate(() => desktop.sessions.initial)
const view = async (app: App) => call(await app.page(), 'settings.view')
const signIn = async (app: App) => (await app.page()).evaluate((text) => desktop.sessions.save(text), kept)

// Each of these starts the app one to three times, some with the 8 seconds that the start waits for the keyring.
describe.runIf(isStandIn)('keyring', () => {
  let machine: Machine
  let saved: string
  beforeAll(async () => {
    machine = await newMachine()
    const app = await machine.start()
    await signIn(app)
    await app.quit()
    saved = `${machine.folder}-saved`
    await cp(machine.folder, saved, { recursive: true })
  })
  afterAll(() => rm(saved, { recursive: true }))
  /** The machine as it was after the sign-in: the folder of the settings depends on the path of the data. */
  const signedInMachine = async () => {
    await machine.close()
    await cp(saved, machine.folder, { recursive: true })
    return machine
  }

  test('without a response from the keyring the app starts after 8 s, and loads the secrets when it responds', async () => {
    const machine = await signedInMachine()
    const app = await machine.start({ quirks: ['keyring-hangs'] })
    const page = await app.page()
    await expect.poll(() => firstWindow(app), soon).toMatchObject({ visible: true })
    await expect.poll(() => isHealthy(machine), soon).toBe(true)
    expect(await initial(app)).toBe(null)
    expect((await view(app)).secretProtection).toBe('plain')

    const reloaded = page.waitForEvent('load')
    await app.unlockKeyring()
    await reloaded
    expect(await initial(app)).toBe(kept)
    expect((await view(app)).secretProtection).toBe('system')
    expect(machine.log).toContain('keyring did not respond in time')
  })

  test('without a response from the keyring the app quits, and the stored secret is unchanged', async () => {
    const machine = await signedInMachine()
    const secret = join(machine.desktopFolder, 'secrets/sessions')
    const before = await readFile(secret)
    const app = await machine.start({ quirks: ['keyring-hangs'] })
    await app.page()
    await call(await app.page(), 'mail.change', mailSettings, 'a mail password')
    expect(await app.quit()).toBe(0)
    expect(await readFile(secret)).toEqual(before)
    expect(await readdir(join(machine.desktopFolder, 'secrets'))).toEqual(['sessions'])
    expect(machine.log).toContain('secrets not saved')
  })

  test.runIf(isLinux)("Chromium's fixed key does not count as protection", async () => {
    const machine = await newMachine()
    const app = await machine.start({ quirks: ['keyring-v10'] })
    await signIn(app)
    expect((await view(app)).secretProtection).toBe('plain')
    await app.quit()
    expect((await stat(join(machine.desktopFolder, 'secrets/sessions'))).mode & 0o777).toBe(0o600)
    expect(await initial(await machine.start())).toBe(kept)
  })

  test('a secret that is temporarily unavailable is set aside and read again later', async () => {
    const machine = await signedInMachine()
    const app = await machine.start({ quirks: ['keyring-unavailable-once'] })
    await expect.poll(() => initial(app).catch(() => null), soon).toBe(kept)
    await app.quit()
    expect(await readdir(join(machine.desktopFolder, 'secrets'))).toEqual(['sessions'])
  })

  test('a secret of another keyring is kept until a new value replaces it', async () => {
    const machine = await signedInMachine()
    const folder = join(machine.desktopFolder, 'secrets')
    const other = await machine.start({ keyring: 'another' })
    expect(await initial(other)).toBe(null)
    await other.quit()
    expect(await readdir(folder)).toEqual(['sessions.unreadable'])

    const back = await machine.start()
    expect(await initial(back)).toBe(kept)
    await back.quit()
    expect(await readdir(folder)).toEqual(['sessions'])

    const third = await machine.start({ keyring: 'another' })
    await signIn(third)
    await third.quit()
    expect(await readdir(folder)).toEqual(['sessions'])
  })
})

const mailSettings = { host: '', port: '', security: 'tls', user: '', from: '' } as const

describe('start and failure', () => {
  test('a settings folder that cannot be created ends the app with an error', async () => {
    const machine = await newMachine()
    await writeFile(join(machine.folder, 'config'), 'a file where the folder should be')
    expect(await machine.startAgain()).toBe(1)
  })

  test.each(['throw', 'reject'] as const)(
    'an unhandled error (%s) stops the server and ends the app',
    async (how) => {
      const machine = await newMachine()
      const app = await machine.start()
      await expect.poll(() => isHealthy(machine), soon).toBe(true)
      await app.fail(how).catch(() => {})
      expect(await app.exited).toBe(1)
      expect(machine.log).toContain('unhandled error, the app ends')
      expect(machine.log).toContain('server stopped')
    },
  )

  describe('with --no-sandbox', () => {
    let app: App
    beforeAll(async () => {
      app = await (await newMachine()).start({ args: ['--no-sandbox'] })
    })

    test('the sandbox stays off, and hardware acceleration is disabled', async () => {
      expect(await app.look()).toMatchObject({ noSandbox: true, hardwareAcceleration: false })
    })

    test('a notice that the system cannot show appears when the window is opened again', async () => {
      await app.page()
      await app.closeWindow()
      await expect.poll(async () => (await app.look()).notifications.length, soon).toBe(1)
      await app.failNotification('Desktop PDS is still running')
      await app.answer({ response: 0 })
      await app.clickTray('Open Desktop PDS')
      const dialogs = async () => (await app.look()).dialogs
      await expect.poll(dialogs, soon).toEqual(['Desktop PDS is still running'])
    })
  })

  describe.runIf(isStandIn)('without --no-sandbox, without clipboard', () => {
    let machine: Machine
    let app: App
    beforeAll(async () => {
      machine = await newMachine()
      app = await machine.start({ quirks: ['sender-url-empty', 'clipboard-fails'] })
    })

    test('the sandbox is enabled for every renderer', async () => {
      expect(await app.look()).toMatchObject({ sandboxEnabled: true })
    })

    test('the page gets its bridge before its URL is committed', async () => {
      expect(await initial(app)).toBe(null)
    })

    test('a failed clipboard write is logged, and the server keeps running', async () => {
      await expect.poll(() => isHealthy(machine), soon).toBe(true)
      await app.clickMenu('File', 'Copy address')
      await expect.poll(() => machine.log, soon).toContain('clipboard write failed')
      expect(await isHealthy(machine)).toBe(true)
    })
  })
})

describe.runIf(isLinux)('tray', () => {
  test('if the tray rejects the icon, closing the window asks whether to quit', async () => {
    const machine = await newMachine()
    const app = await machine.start({ hasTray: 'refused' })
    const page = await app.page()
    expect((await call(page, 'settings.view')).hasTray).toBe(false)
    await app.answer({ response: 1 })
    await app.closeWindow()
    await expect.poll(() => firstWindow(app), soon).toMatchObject({ minimized: true })
    expect(machine.log).toContain('tray icon refused')
  })

  test.each(['busctl', 'gdbus'] as const)('without dbus-send the tray is found with %s', async (busTool) => {
    const app = await (await newMachine()).start({ busTool })
    await expect.poll(async () => (await app.look()).tray?.toolTip, soon).toContain('Desktop PDS')
  })
})
