/** Continuous copies in the desktop: a place is added, the computer is lost, another one continues the server. */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlaceInput, RestoreSource } from '../../../electron/ground/bridge.ts'
import { call, eventsOf, listen } from '../../support/desktop/bridge.ts'
import { type App, isStandIn, Machine, soon } from '../../support/desktop/desktop.ts'

let lost: Machine
let other: Machine
let disk: string
/** Of the copy in it. */
let url: string
let key: string
/** Of the session on the computer that is lost. */
let token: string

beforeAll(async () => {
  lost = await Machine.create()
  other = await Machine.create()
  disk = join(lost.folder, 'disk')
  await mkdir(disk)
  url = pathToFileURL(join(disk, 'desktop-pds-copy')).href
})

afterAll(async () => {
  await other.close()
  await lost.close()
})

const folder = (address: string): PlaceInput => ({
  ...{ kind: 'folder', address, user: '', bucket: '', region: '', accessKeyId: '', secret: '' },
})

const at = (address: string, key: string): RestoreSource => ({
  ...{ from: 'otherPlace', place: folder(address), key },
})

async function xrpc(machine: Machine, nsid: string, input?: object, accessJwt?: string) {
  const answer = await fetch(`${machine.endpoint}/xrpc/${nsid}`, {
    method: input ? 'POST' : 'GET',
    headers: {
      ...(input && { 'content-type': 'application/json' }),
      ...(accessJwt !== undefined && { authorization: `Bearer ${accessJwt}` }),
    },
    ...(input && { body: JSON.stringify(input) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: each method responds with a type of its own
  const body: any = await answer.json().catch(() => ({}))
  return { status: answer.status, body }
}

/** Starts the app with its server. */
async function start(machine: Machine, options = {}): Promise<App> {
  const app = await machine.start(options)
  await call(await app.page(), 'server.start')
  return app
}

/** Adds a folder as a place. The answer has its problems by field, or the URL. */
async function addPlace(machine: Machine, address: string, accessJwt: string) {
  const place = { kind: 'folder', address }
  const input = { place, sameDisk: true, password: alice.password }
  return (await xrpc(machine, 'com.core.admin.addCopyPlace', input, accessJwt)).body
}

const problemWith = (problem: unknown) => ({ problems: [{ field: 'address', problem }] })

/** Returns the recovery sheet, or the error. */
async function sheetOf(machine: Machine, accessJwt: string) {
  const input = { password: alice.password }
  return (await xrpc(machine, 'com.core.admin.getRecoverySheet', input, accessJwt)).body
}

const copiesOf = async (machine: Machine, accessJwt: string) =>
  (await xrpc(machine, 'com.core.admin.getCopies', undefined, accessJwt)).body

const alice = { handle: 'alice.test', password: 'alice-password' }
const bob = { ...alice, handle: 'bob.test' }
const signIn = async (machine: Machine, account = alice): Promise<string> =>
  (
    await xrpc(machine, 'com.core.server.createSession', {
      identifier: account.handle,
      password: account.password,
    })
  ).body.accessJwt

describe('the computer that is lost', () => {
  let app: App

  beforeAll(async () => {
    app = await start(lost)
    await xrpc(lost, 'com.core.server.createAccount', alice)
    token = await signIn(lost)
  })

  test('a place that cannot be used is refused with its field, and nothing is saved', async () => {
    expect(await addPlace(lost, 'disk', token)).toEqual(problemWith(expect.any(String)))
    expect(await addPlace(lost, join(lost.folder, 'no disk'), token)).toEqual(
      problemWith(expect.stringContaining('There is no folder')),
    )
    expect(await addPlace(lost, join(lost.dataDir, 'blobs'), token)).toEqual(
      problemWith(expect.stringContaining('folder')),
    )
    expect(await addPlace(lost, lost.dataDir, token)).toEqual(
      problemWith(expect.stringContaining('data folder')),
    )
    expect(await copiesOf(lost, token)).toMatchObject({ places: [], editable: true })
  })

  test('no copy starts with a key that cannot be saved', async () => {
    // Stands for a keyring or a disk that refuses.
    const obstacle = join(lost.desktopFolder, 'secrets/copies.tmp')
    await mkdir(obstacle, { recursive: true })
    const problem = expect.stringContaining('could not be saved')
    expect(await addPlace(lost, disk, token)).toEqual(problemWith(problem))
    expect(await sheetOf(lost, token)).toEqual({ error: 'KeyUnavailable', message: problem })
    expect(await copiesOf(lost, token)).toMatchObject({ places: [] })
    expect(await readdir(disk)).toEqual([])
    await rm(obstacle, { recursive: true })
  })

  test('a folder is chosen, added, and copied to', async () => {
    const page = await app.page()
    await app.answer({ canceled: false, filePaths: [disk] })
    expect(await call(page, 'copies.chooseFolder')).toBe(disk)
    expect(await addPlace(lost, disk, token)).toEqual({ problems: [], url })
    const read = async () => (await copiesOf(lost, token)).places?.[0]
    await expect.poll(async () => (await read())?.lastCopiedAt, soon).toEqual(expect.any(String))
    expect(await copiesOf(lost, token)).toMatchObject({ places: [{ url, added: true }], sheetKept: false })
    expect(await readdir(disk)).toEqual(['desktop-pds-copy'])
    expect(await readdir(join(disk, 'desktop-pds-copy'))).toContain('pds-replica')
    expect(await addPlace(lost, disk, token)).toEqual(problemWith(expect.any(String)))
  })

  test('the recovery sheet has the key, which is on disk only as the keyring encrypts it', async () => {
    const page = await app.page()
    const sheet = await sheetOf(lost, token)
    key = sheet.key
    expect(key).toMatch(/^AGE-SECRET-KEY-1/)
    expect(sheet.places).toEqual([url])
    const file = join(lost.folder, 'sheet.txt')
    await app.answer({ canceled: false, filePath: file })
    expect(await call(page, 'copies.saveSheet', sheet.text)).toEqual({ ok: true, value: file })
    await xrpc(lost, 'com.core.admin.keepRecoverySheet', { key }, token)
    expect(await copiesOf(lost, token)).toMatchObject({ sheetKept: true })
    await app.answer({ canceled: false, filePaths: [file] })
    expect(await call(page, 'copies.chooseKey')).toEqual({ ok: true, value: key })
    const secret = await readFile(join(lost.desktopFolder, 'secrets/copies'), 'latin1')
    expect(secret.startsWith('sealed')).toBe(true)
    expect(secret).not.toContain(key)
  })

  test('after a start the same key is used, and quitting copies the last changes', async () => {
    await app.quit()
    app = await start(lost)
    expect(await sheetOf(lost, token)).toMatchObject({ key })
    await xrpc(lost, 'com.core.server.createAppPassword', { name: 'last change' }, token)
    await app.quit()
  })
})

describe('the other computer', () => {
  let app: App
  /** Of the server that was there before. */
  let ownKey: string

  beforeAll(async () => {
    app = await start(other)
    await xrpc(other, 'com.core.server.createAccount', bob)
    ownKey = (await sheetOf(other, await signIn(other, bob))).key
  })

  test('a wrong key and an empty place are named', async () => {
    const page = await app.page()
    const find = async (address: string, text: string) => call(page, 'restore.points', at(address, text))
    expect(await find(disk, 'x')).toEqual({ problems: { key: expect.any(String) }, points: [] })
    expect(await find(other.folder, key)).toMatchObject({ problems: { address: expect.any(String) } })
    expect(await find(disk, ownKey)).toMatchObject({ problems: { key: expect.any(String) } })
  })

  test('the server is restored with progress, accepts the passwords, and continues the copy', async () => {
    const page = await app.page()
    const typed = key.toLowerCase().replaceAll(/.{4}/g, '$& ')
    const source = at(disk, typed)
    expect((await call(page, 'restore.points', source)).points).toHaveLength(1)
    await listen(page, 'restoreProgress')
    const preview = await call(page, 'restore.preview', source)
    expect(preview).toMatchObject({ ok: true, value: { handles: ['alice.test'], missingBlobs: 0 } })
    expect(await readdir(other.dataDir)).toContain('copy.fetched')
    const restored = await call(page, 'restore.run', source)
    expect(await readdir(other.dataDir)).not.toContain('copy.fetched')
    expect(restored).toMatchObject({ ok: true, value: { missingMedia: 0 } })
    expect(await eventsOf(page, 'restoreProgress')).toContainEqual({
      ...{ step: 'database', done: 1, total: 1 },
    })
    const token = await signIn(other)
    const { body } = await xrpc(other, 'com.core.server.listAppPasswords', undefined, token)
    expect(body.passwords).toMatchObject([{ name: 'last change' }])
    expect(await copiesOf(other, token)).toMatchObject({ places: [{ url, added: true }], sheetKept: true })
    const read = async () => (await xrpc(other, 'com.core.admin.getCopies', undefined, token)).body.places[0]
    await expect.poll(async () => (await read()).lastCopiedAt, soon).toEqual(expect.any(String))
  })

  test('its own place is read without the key, and a preview that is cancelled leaves nothing', async () => {
    const page = await app.page()
    const source = { from: 'place', url } as const
    const unknown = { from: 'place', url: pathToFileURL(other.folder).href } as const
    expect(await call(page, 'restore.points', unknown)).toMatchObject({
      problems: { address: expect.any(String) },
    })
    expect(await call(page, 'restore.run', unknown)).toMatchObject({ ok: false })
    const { points } = await call(page, 'restore.points', source)
    const at = points.at(-1)?.at
    await listen(page, 'serverState')
    expect(await call(page, 'restore.preview', source, at)).toMatchObject({
      ok: true,
      value: { createdAt: at, handles: ['alice.test'], missingBlobs: 0 },
    })
    expect(await readdir(other.dataDir)).toContain('copy.fetched')
    await call(page, 'restore.cancel')
    expect(await readdir(other.dataDir)).not.toContain('copy.fetched')
    expect(await eventsOf(page, 'serverState')).toEqual([])
    expect(await call(page, 'restore.run', source, at)).toMatchObject({ ok: true, value: { at } })
    expect((await copiesOf(other, await signIn(other))).places).toMatchObject([{ url }])
  })

  test('an undo puts the data back that were there before, and uses their key again', async () => {
    const page = await app.page()
    const first = (await call(page, 'backups.replaced')).at(-1)
    expect(await call(page, 'restore.undo', first?.name ?? '')).toMatchObject({ ok: true })
    expect(ownKey).toMatch(/^AGE-SECRET-KEY-1/)
    expect(ownKey).not.toBe(key)
    expect(await sheetOf(other, await signIn(other, bob))).toMatchObject({ key: ownKey })
    await app.quit()
  })
})

describe('the lost computer comes back', () => {
  let app: App

  test('it accepts no changes and says why; the person continues there without signing in', async () => {
    app = await start(lost)
    const page = await app.page()
    const create = () => xrpc(lost, 'com.core.server.createAppPassword', { name: 'late' }, token)
    await expect.poll(() => call(page, 'copies.isElsewhere'), soon).toBe(true)
    expect(await create()).toMatchObject({ status: 503 })
    const title = 'Another computer continues your server'
    await expect.poll(async () => (await app.look()).notifications, soon).toMatchObject([{ title }])
    expect((await app.look()).tray?.items.map(({ label }) => label)).toContain(title)
    expect(await call(page, 'copies.continue')).toEqual({ ok: true, value: undefined })
    await expect.poll(async () => (await create()).status, soon).toBe(200)
    expect(await call(page, 'copies.isElsewhere')).toBe(false)
  })
  test.runIf(isStandIn)('with a late keyring its server runs, and copies start with their key', async () => {
    await app.quit()
    app = await start(lost, { quirks: ['keyring-hangs'] })
    const read = async () => (await xrpc(lost, 'com.core.admin.getCopies', undefined, token)).body.places[0]
    expect(await read()).toMatchObject({ problem: { message: expect.stringContaining('keyring') } })
    expect(await sheetOf(lost, token)).toMatchObject({ error: 'KeyUnavailable' })
    await app.unlockKeyring()
    await expect.poll(async () => (await read())?.lastCopiedAt, soon).toEqual(expect.any(String))
    expect(await sheetOf(lost, token)).toMatchObject({ key })
  })
})
