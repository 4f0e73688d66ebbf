/** Starts: the first, the failed, the second, and those with settings of before. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { nodeFiles } from '../../../server/store/files.ts'
import { acquireLock } from '../../../server/store/lock.ts'
import { call, listen, told } from '../../support/desktop/bridge.ts'
import { type App, Machine, soon } from '../../support/desktop/desktop.ts'

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

test('a second start brings the window of the first to the front, and ends', async () => {
  const machine = await newMachine()
  const first = await machine.start()
  const page = await first.page()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await first.closeWindow()
  expect((await first.look()).windows[0]).toMatchObject({ visible: false })

  await listen(page, 'navigate')
  const second = await machine.start({ args: ['desktop-pds://outbox'] })
  expect(await second.exited).toBe(0)
  await expect
    .poll(async () => (await first.look()).windows[0], soon)
    .toMatchObject({ visible: true, focused: true })
  await expect.poll(() => told(page, 'navigate'), soon).toEqual(['/outbox'])
  expect((await fetch(`${machine.endpoint}/xrpc/_health`)).status).toBe(200)
  expect(await first.quit()).toBe(0)
})

test('a start at login shows no window until it is asked for', async () => {
  const machine = await newMachine()
  const app = await machine.start({ args: ['--hidden'] })
  await expect.poll(async () => (await app.look()).tray?.toolTip, soon).toContain('Running')
  expect((await app.look()).windows).toEqual([])
  await app.clickTray('Open Desktop PDS')
  await app.page()
  expect((await app.look()).windows).toHaveLength(1)
})

test('settings are kept, in the shape of this version, for this person alone', async () => {
  const machine = await newMachine()
  const app = await machine.start()
  await call(await app.page(), 'settings.change', { theme: 'dark', userDomains: '.home.test' })
  await app.quit()

  // As the builds before 0.1.0 wrote it.
  const file = join(machine.desktopFolder, 'settings.json')
  const { settings } = JSON.parse(await readFile(file, 'utf8'))
  expect(settings).toMatchObject({ theme: 'dark', userDomains: '.home.test' })
  await writeFile(file, JSON.stringify({ theme: 'light', userDomains: '.old.test' }))

  const again = await machine.start()
  const page = await again.page()
  const { settings: migrated } = await call(page, 'settings.view')
  expect(migrated).toMatchObject({ theme: 'light', userDomains: '.old.test', closeToTray: true })
  await again.quit()

  await writeFile(file, '{ "settings": { "theme": "pink" } }')
  const third = await machine.start()
  expect((await call(await third.page(), 'settings.view')).settings).toMatchObject({ theme: 'system' })
  expect(await readdir(machine.desktopFolder)).toContain('settings.json.damaged')
})

test('sessions are kept by the keyring of the system; with another keyring they are gone', async () => {
  const machine = await newMachine()
  const app = await machine.start()
  const kept = JSON.stringify([{ did: 'did:plc:abc', refreshJwt: 'a refresh token' }])
  await (await app.page()).evaluate((text) => desktop.sessions.save(text), kept)
  expect((await call(await app.page(), 'settings.view')).secretProtection).toBe('system')
  await app.quit()
  const file = join(machine.desktopFolder, 'secrets/sessions')
  expect(await readFile(file, 'latin1')).not.toContain('refresh')

  const again = await machine.start()
  expect(await (await again.page()).evaluate(() => desktop.sessions.initial)).toBe(kept)
  await again.quit()

  const elsewhere = await machine.start({ keyring: 'another' })
  expect(await (await elsewhere.page()).evaluate(() => desktop.sessions.initial)).toBe(null)
  await elsewhere.quit()

  const bare = await machine.start({ keyring: '' })
  await (await bare.page()).evaluate((text) => desktop.sessions.save(text), kept)
  expect((await call(await bare.page(), 'settings.view')).secretProtection).toBe('plain')
  await bare.quit()
  const { mode } = await stat(file)
  expect(mode & 0o777).toBe(0o600)
  const last = await machine.start({ keyring: '' })
  expect(await (await last.page()).evaluate(() => desktop.sessions.initial)).toBe(kept)
})

test('a folder that cannot be written is named', async () => {
  const machine = await newMachine()
  await writeFile(machine.dataDir, 'a file where the folder should be')
  const app = await machine.start()
  expect(await stateOf(app)).toMatchObject({ kind: 'failed', failure: 'not-writable', path: machine.dataDir })
})

test('data in use by another process is left to it, and can be had once that has ended', async () => {
  const machine = await newMachine()
  await mkdir(machine.dataDir)
  const lock = await acquireLock(nodeFiles, machine.dataDir)
  const app = await machine.start()
  expect(await stateOf(app)).toMatchObject({
    kind: 'failed',
    failure: 'already-running',
    message: expect.stringContaining(`process ${process.pid}`),
  })
  await lock.release()
  expect(await call(await app.page(), 'server.start')).toMatchObject({ kind: 'running' })
})

test('a damaged file is moved aside and named; restoring a backup makes it start', async () => {
  const machine = await newMachine()
  const app = await machine.start()
  const page = await app.page()
  await stateOf(app)
  expect(await call(page, 'backups.make')).toMatchObject({ ok: true })
  await call(page, 'server.stop')
  await writeFile(join(machine.dataDir, 'pds.sqlite'), 'no database')
  const state = await call(page, 'server.start')
  expect(state).toMatchObject({
    kind: 'failed',
    failure: 'damaged',
    path: expect.stringContaining('.damaged-'),
  })
  expect(state).not.toMatchObject({ message: expect.stringContaining('npm') })

  const [backup] = await call(page, 'backups.list')
  const restored = await call(page, 'backups.restore', backup?.name ?? '')
  expect(restored).toMatchObject({ ok: true, value: expect.stringContaining('replaced-') })
  expect(await stateOf(app)).toMatchObject({ kind: 'running' })

  // A file of a program to come.
  await call(page, 'server.stop')
  const file = join(machine.dataDir, 'pds.sqlite')
  const bytes = await readFile(file)
  bytes.writeUInt32BE(9999, 60)
  await writeFile(file, bytes)
  await writeFile(`${file}.sha256`, `${createHash('sha256').update(bytes).digest('hex')}  pds.sqlite\n`)
  expect(await call(page, 'server.start')).toMatchObject({ kind: 'failed', failure: 'too-new', path: file })
})

test('a port in use is never exchanged silently: it is told, tried again, or changed on purpose', async () => {
  const machine = await newMachine()
  const other: Server = createServer()
  await new Promise<void>((resolve) => other.listen({ port: machine.port, host: '127.0.0.1' }, resolve))
  const app = await machine.start()
  const page = await app.page()
  expect(await stateOf(app)).toMatchObject({ kind: 'failed', failure: 'port-taken', port: machine.port })
  expect(await page.evaluate(() => desktop.endpoint)).toBe(machine.endpoint)

  const port = await call(page, 'server.freePort')
  expect(port).not.toBe(machine.port)
  const reloaded = page.waitForEvent('load')
  // The page is loaded again, for its policy has to name the other port; the answer may or may not arrive before.
  await call(page, 'settings.change', { port: String(port) }).catch(() => {})
  await reloaded
  expect(await page.evaluate(() => desktop.endpoint)).toBe(`http://localhost:${port}`)
  expect(await stateOf(app)).toMatchObject({ kind: 'running', port })
  // From the page itself, which its policy lets call this port and no other.
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
