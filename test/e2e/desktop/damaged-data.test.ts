/** Damaged data and the screen of the failed start: the intact part is opened. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, describe, expect, test } from 'vitest'
import { call } from '../../support/desktop/bridge.ts'
import { Machine, soon } from '../../support/desktop/desktop.ts'
import { bytesOf, openBytes } from '../../support/store/database-bytes.ts'

const machines: Machine[] = []
const newMachine = async () => {
  const machine = await Machine.create()
  machines.push(machine)
  return machine
}
afterAll(() => Promise.all(machines.map((machine) => machine.close())))

describe('damaged data', () => {
  /** Names of the data files. */
  const dataFiles = async ({ dataDir }: Machine) =>
    (await readdir(dataDir)).filter((name) => /^pds\.(sqlite|\d)/.test(name))
  const isRunning = async (page: Page) => (await call(page, 'server.state')).kind === 'running'
  const start = async (page: Page) =>
    expect(await call(page, 'server.start')).toMatchObject({ failure: 'damaged' })

  /** Creates the owner, who adds a folder for copies. */
  async function addFolder(machine: Machine, address: string): Promise<void> {
    const send = async (nsid: string, input: object, token = '') => {
      const headers = {
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
      }
      const init = { method: 'POST', headers, body: JSON.stringify(input) }
      return (await fetch(`${machine.endpoint}/xrpc/com.core.${nsid}`, init)).json()
    }
    const account = { handle: 'alice.test', password: 'a good password' }
    const { accessJwt } = (await send('server.createAccount', account)) as { accessJwt: string }
    const input = { place: { kind: 'folder', address }, sameDisk: true, password: account.password }
    expect(await send('admin.addCopyPlace', input, accessJwt)).toMatchObject({ problems: [] })
  }

  test('what is intact is opened after the loss was shown', async () => {
    const machine = await newMachine()
    const page = await (await machine.start()).page()
    await expect.poll(() => isRunning(page), soon).toBe(true)
    const created = await fetch(`${machine.endpoint}/xrpc/com.core.server.createAccount`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ handle: 'alice.test', email: 'alice@mail.test', password: 'a good password' }),
    })
    expect(created.status).toBe(200)
    // As a power cut leaves them.
    const names = await dataFiles(machine)
    const contents = await Promise.all(names.map((name) => readFile(join(machine.dataDir, name))))
    await call(page, 'server.stop')
    for (const name of await dataFiles(machine)) await rm(join(machine.dataDir, name))
    for (const [at, name] of names.entries()) {
      const content = contents[at] ?? Buffer.alloc(0)
      const frame = content.lastIndexOf('frame ')
      if (name.endsWith('.journal')) content[frame + 200] = (content[frame + 200] ?? 0) ^ 1
      await writeFile(join(machine.dataDir, name), content)
    }
    await start(page)

    // Nothing is opened that was not previewed.
    expect(await call(page, 'salvage.run', 'changed')).toMatchObject({ ok: false })
    await page.getByRole('button', { name: 'Open what is intact…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Open what is intact?' })
    await dialog.getByText(/^\d+ changes?$/).waitFor()
    await dialog.getByText(/\.journal$/).waitFor()
    expect((await call(page, 'server.state')).kind).toBe('failed')
    await dialog.getByRole('button', { name: 'Open', exact: true }).click()
    await page.getByRole('dialog', { name: 'The data is open' }).getByText('replaced-').waitFor()
    expect(await isRunning(page)).toBe(true)
  })

  test('damaged pages that no backup has come from a place; one that cannot be read is named', async () => {
    const machine = await newMachine()
    const page = await (await machine.start()).page()
    await expect.poll(() => isRunning(page), soon).toBe(true)
    const disk = join(machine.folder, 'disk')
    await mkdir(disk)
    await addFolder(machine, disk)
    const bases = () => readdir(join(disk, 'desktop-pds-copy/bases')).catch(() => [])
    await expect.poll(async () => (await bases()).length, soon).toBe(1)
    await call(page, 'server.stop')
    await rm(join(machine.dataDir, 'backups'), { recursive: true, force: true })
    const file = join(machine.dataDir, 'pds.sqlite')
    const bytes = await readFile(file)
    bytes[200] = (bytes[200] ?? 0) ^ 1
    await writeFile(file, bytes)
    await start(page)

    await rename(disk, `${disk} away`)
    const lost = { ok: false, message: expect.stringMatching(/no intact backup.* There is no folder/) }
    expect(await call(page, 'salvage.preview')).toEqual(lost)
    await rename(`${disk} away`, disk)
    // A dialog that was closed and opened again, or a page that was loaded again.
    const previews = await Promise.all([call(page, 'salvage.preview'), call(page, 'salvage.preview')])
    expect(previews).toMatchObject([{ ok: false, message: 'This was cancelled.' }, { ok: true }])
    expect(await call(page, 'salvage.preview')).toMatchObject({
      ok: true,
      value: { from: 'database', damaged: ['pds.sqlite'], lostTransactions: 0, unread: [] },
    })
    const [examined, state] = await Promise.all([call(page, 'salvage.preview'), call(page, 'server.start')])
    expect(state).toMatchObject({ failure: 'damaged', message: expect.stringContaining('being examined') })
    expect(examined).toMatchObject({ ok: true })
    expect(await call(page, 'salvage.run', 'database')).toMatchObject({ ok: true })
    expect(await isRunning(page)).toBe(true)

    const { since } = (await call(page, 'server.state')) as { since?: string }
    for (const refused of [call(page, 'salvage.preview'), call(page, 'salvage.run', 'database')])
      expect(await refused).toEqual({ ok: false, message: expect.stringContaining('Stop it first') })
    expect(await call(page, 'server.state')).toMatchObject({ kind: 'running', since })
  })

  test('a database that another program changed is used after a question', async () => {
    const machine = await newMachine()
    const page = await (await machine.start()).page()
    await expect.poll(() => isRunning(page), soon).toBe(true)
    await call(page, 'server.stop')
    const file = join(machine.dataDir, 'pds.sqlite')
    const sqlite = await openBytes(file)
    sqlite.exec('CREATE TABLE other (id INTEGER)')
    await writeFile(file, bytesOf(sqlite))
    sqlite.close()
    await start(page)

    await page.getByRole('button', { name: 'Open what is intact…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Use the changed database?' })
    await dialog.getByText('Another program changed the database').waitFor()
    await dialog.getByRole('button', { name: 'Use the changed database' }).click()
    await page.getByRole('dialog', { name: 'The data is open' }).waitFor()
    expect(await isRunning(page)).toBe(true)
  })
})
