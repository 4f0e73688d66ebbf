/** Starts: first, second, at login, failed, and with settings and secrets of earlier starts. */
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeBackup } from '../../../server/operation/replicas/local/backups.ts'
import { acquireLock } from '../../../server/store/files/lock.ts'
import { call, eventsOf, listen } from '../../support/desktop/bridge.ts'
import { type App, isStandIn, Machine, soon } from '../../support/desktop/desktop.ts'
import { heading } from '../../support/server/world.ts'
import { unreleased } from '../../support/store/database-bytes.ts'

const machines: Machine[] = []
const newMachine = async () => {
  const machine = await Machine.create()
  machines.push(machine)
  return machine
}
afterAll(() => Promise.all(machines.map((machine) => machine.close())))

const stateOf = async (app: App) => {
  const page = await app.page()
  await expect.poll(() => call(page, 'server.state').then(({ kind }) => kind), soon).not.toBe('starting')
  return call(page, 'server.state')
}

test('a second start shows the window of the first and exits', async () => {
  const machine = await newMachine()
  // The files that are shipped find each other without a bundle, too.
  const first = await machine.start({ isBundled: false })
  const page = await first.page()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await first.closeWindow()
  expect((await first.look()).windows[0]).toMatchObject({ visible: false })

  await listen(page, 'navigate')
  expect(await machine.startAgain({ args: ['desktop-pds://outbox'] })).toBe(0)
  await expect
    .poll(async () => (await first.look()).windows[0], soon)
    .toMatchObject({ visible: true, focused: true })
  await expect.poll(() => eventsOf(page, 'navigate'), soon).toEqual(['/outbox'])
  expect((await fetch(`${machine.endpoint}/xrpc/_health`)).status).toBe(200)
  expect(await first.quit()).toBe(0)
})

test('a start at login shows no window until the tray opens it', async () => {
  const machine = await newMachine()
  const app = await machine.start({ args: ['--hidden'] })
  await expect.poll(async () => (await app.look()).tray?.toolTip, soon).toContain('Running')
  expect((await app.look()).windows).toEqual([])
  await app.clickTray('Open Desktop PDS')
  await app.page()
  expect((await app.look()).windows).toHaveLength(1)
})

test.runIf(process.platform === 'linux')('a tray that appears after a start at login is found', async () => {
  const machine = await newMachine()
  const app = await machine.start({ args: ['--hidden'], hasTray: 'later' })
  expect((await app.look()).tray).toBe(null)
  await machine.showTray()
  await expect.poll(async () => (await app.look()).tray?.toolTip, soon).toContain('Running')
})

test('a link that arrives before the app is ready shows its screen', async () => {
  const machine = await newMachine()
  const app = await machine.start({ args: ['--hidden'], link: 'desktop-pds://outbox' })
  await heading(await app.page(), 'Outbox').waitFor()
})

const kept = JSON.stringify([{ did: 'did:plc:abc', refreshJwt: 'a refresh token' }])
const initial = async (app: App) => (await app.page()).evaluate(() => desktop.sessions.initial)
const view = async (app: App) => call(await app.page(), 'settings.view')
const signIn = async (app: App) => (await app.page()).evaluate((text) => desktop.sessions.save(text), kept)

test('settings and sessions survive a restart, a file without newer settings and a damaged one', async () => {
  const machine = await newMachine()
  const first = await machine.start()
  await signIn(first)
  await call(await first.page(), 'settings.change', { theme: 'dark', userDomains: '.home.test' })
  await first.quit()
  const file = join(machine.desktopFolder, 'settings.json')
  const { settings } = JSON.parse(await readFile(file, 'utf8'))
  expect(settings).toMatchObject({ theme: 'dark', userDomains: '.home.test' })

  // Newer settings are missing.
  const earlier = { theme: 'light', userDomains: '.old.test' }
  await writeFile(file, JSON.stringify({ settings: earlier }))
  const second = await machine.start()
  const { settings: completed } = await view(second)
  expect(completed).toMatchObject({ ...earlier, closeToTray: true })
  expect(await initial(second)).toBe(kept)
  await second.quit()

  // A damaged file.
  await writeFile(file, '{ "settings": { "theme": "pink" } }')
  const third = await machine.start()
  expect((await view(third)).settings).toMatchObject({ theme: 'system' })
  expect(await readdir(machine.desktopFolder)).toContain('settings.json.damaged')
})

test.runIf(isStandIn)(
  "sessions are encrypted by the system's keyring, or stored with mode 0600",
  async () => {
    const machine = await newMachine()
    const first = await machine.start()
    await signIn(first)
    expect((await view(first)).secretProtection).toBe('system')
    await first.quit()
    const secret = join(machine.desktopFolder, 'secrets/sessions')
    expect(await readFile(secret, 'latin1')).not.toContain('refresh')

    const another = await machine.start({ keyring: 'another' })
    expect(await initial(another)).toBe(null)
    await another.quit()

    // Without a keyring only the file mode protects them, and the settings say so.
    const bare = await machine.start({ keyring: '' })
    await signIn(bare)
    expect((await view(bare)).secretProtection).toBe('plain')
    await bare.quit()
    expect((await stat(secret)).mode & 0o777).toBe(0o600)
    expect(await initial(await machine.start({ keyring: '' }))).toBe(kept)
  },
)

test.runIf(isStandIn)(
  'after the keyring rotates its key, sessions are encrypted with the new key',
  async () => {
    const machine = await newMachine()
    const first = await machine.start()
    await signIn(first)
    await first.quit()
    for (const keyring of ['new\nkeyring', 'new']) {
      const app = await machine.start({ keyring })
      expect(await initial(app)).toBe(kept)
      await app.quit()
    }
  },
)

test('a data folder that cannot be written is shown on its own screen', async () => {
  const machine = await newMachine()
  await writeFile(machine.dataDir, 'a file where the folder should be')
  const app = await machine.start()
  expect(await stateOf(app)).toMatchObject({ kind: 'failed', failure: 'not-writable', path: machine.dataDir })
  await heading(await app.page(), 'The data folder is not writable').waitFor()
})

test('data in use by another process is not opened until that process releases it', async () => {
  const machine = await newMachine()
  await mkdir(machine.dataDir)
  const lock = await acquireLock(machine.dataDir)
  const app = await machine.start()
  expect(await stateOf(app)).toMatchObject({
    kind: 'failed',
    failure: 'already-running',
    message: expect.stringContaining(`process ${process.pid}`),
  })
  const page = await app.page()
  await heading(page, 'The server is already running').waitFor()
  await lock.release()
  await page.getByRole('button', { name: 'Try again' }).click()
  await heading(page, 'Create the first account').waitFor()
})

test('a damaged file is set aside and a backup restores the data; a file of a newer or a too old version is refused', async () => {
  const machine = await newMachine()
  const app = await machine.start()
  const page = await app.page()
  await stateOf(app)
  await call(page, 'server.stop')
  await makeBackup({ dataDir: machine.dataDir, now: () => new Date() })
  await writeFile(join(machine.dataDir, 'pds.sqlite'), 'no database')
  const state = await call(page, 'server.start')
  expect(state).toMatchObject({
    kind: 'failed',
    failure: 'damaged',
    path: expect.stringContaining('.damaged-'),
  })
  expect(state).not.toMatchObject({ message: expect.stringContaining('npm') })
  await heading(page, 'A data file is damaged').waitFor()

  const source = { from: 'backups' } as const
  const { points } = await call(page, 'restore.points', source)
  const restored = await call(page, 'restore.run', source, points[0]?.at)
  expect(restored).toMatchObject({ ok: true, value: { replaced: expect.stringContaining('replaced-') } })
  expect(await stateOf(app)).toMatchObject({ kind: 'running' })
  await heading(page, 'Create the first account').waitFor()

  await call(page, 'server.stop')
  const file = join(machine.dataDir, 'pds.sqlite')
  const bytes = await readFile(file)
  // SQLite's user version.
  const newer = Buffer.from(bytes)
  newer.writeUInt32BE(9999, 60)
  for (const [content, failure, title] of [
    [newer, 'too-new', 'The data was written by a newer version of this app'],
    [await unreleased(bytes), 'too-old', 'The data was written before the first release of this app'],
  ] as const) {
    await writeFile(file, content)
    await rm(`${file}.pages`, { force: true })
    expect(await call(page, 'server.start')).toMatchObject({ kind: 'failed', failure, path: file })
    await heading(page, title).waitFor()
  }
})

test('a port in use is shown on its own screen, and changed only on request', async () => {
  const machine = await newMachine()
  const other: Server = createServer()
  await new Promise<void>((resolve) => other.listen({ port: machine.port, host: '127.0.0.1' }, resolve))
  const app = await machine.start()
  const page = await app.page()
  expect(await stateOf(app)).toMatchObject({ kind: 'failed', failure: 'port-taken', port: machine.port })
  expect(await page.evaluate(() => desktop.endpoint)).toBe(machine.endpoint)

  await heading(page, `Port ${machine.port} is in use`).waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'Try again', disabled: false }).waitFor()
  await heading(page, `Port ${machine.port} is in use`).waitFor()

  // The page is reloaded, because its policy must name the new port.
  await page.getByRole('button', { name: /^Use port \d+$/ }).click()
  await heading(page, 'Create the first account').waitFor()
  const port = Number((await call(page, 'settings.view')).settings.port)
  expect(port).not.toBe(machine.port)
  expect(await page.evaluate(() => desktop.endpoint)).toBe(`http://localhost:${port}`)
  expect(await stateOf(app)).toMatchObject({ kind: 'running', port })
  // The policy of the page allows this port only.
  const answers = [port, machine.port].map((one) =>
    page.evaluate(
      (address) =>
        fetch(address).then(
          () => 'answered',
          () => 'refused',
        ),
      `http://localhost:${one}/xrpc/_health`,
    ),
  )
  expect(await Promise.all(answers)).toEqual(['answered', 'refused'])
  other.close()
})
