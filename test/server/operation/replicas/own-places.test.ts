/** Places that the owner adds over HTTP, to a server of the command line, which starts again by itself. */
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ReplicaKey } from '../../../../server/operation/replicas/replica-key.ts'
import { ServeProcess } from '../../../support/server/serve-process.ts'
import { type Account, refusal } from '../../../support/server/server.ts'

const soon = { timeout: 30_000 }
let server: ServeProcess
let owner: Account
let disk: string
let url: string

beforeAll(async () => {
  server = await ServeProcess.start()
  owner = await server.account('olga')
  disk = await server.makeFolder('disk')
  url = pathToFileURL(join(disk, 'desktop-pds-copy')).href
})
afterAll(() => server.close())

const call = (name: string, input?: object, auth = owner) =>
  server.post(`com.core.admin.${name}`, input, auth)
const add = (address: string, more: object = {}) =>
  call('addCopyPlace', {
    ...{ place: { kind: 'folder', address }, sameDisk: true, password: owner.password },
    ...more,
  })
const problemsOf = async (address: string) => (await add(address)).body.problems
const copies = () => server.ask('getCopies', owner)

test('a folder of other files, of the data, or that is missing is refused at its field', async () => {
  const refused = (problem: string) => [{ field: 'address', problem: expect.stringContaining(problem) }]
  expect(await problemsOf('disk')).toEqual(refused('whole path'))
  expect(await problemsOf(join(server.folder, 'none'))).toEqual(refused('There is no folder'))
  expect(await problemsOf(server.dataDir)).toEqual(refused('part of the data folder'))
  const link = join(server.folder, 'link')
  await symlink(server.dataDir, link)
  expect(await problemsOf(link)).toEqual(refused('part of the data folder'))

  // The superuser may write everywhere, other users are refused earlier.
  expect(await problemsOf('/proc')).toEqual(refused('proc'))

  const other = await server.makeFolder('other')
  await mkdir(join(other, 'desktop-pds-copy'))
  await writeFile(join(other, 'desktop-pds-copy/letter.txt'), 'Dear Olga')
  expect(await problemsOf(other)).toEqual(refused('has other files'))
  expect(await readdir(join(other, 'desktop-pds-copy'))).toEqual(['letter.txt'])
  const linked = await server.makeFolder('linked')
  await symlink(other, join(linked, 'desktop-pds-copy'))
  expect(await problemsOf(linked)).toEqual(refused('has other files'))
  expect(await copies()).toMatchObject({ places: [], editable: true })
})

test('an address with a password is refused: settings and recovery sheets show addresses', async () => {
  const unused = { user: 'olga', bucket: 'copies', accessKeyId: 'id', secret: 'secret' }
  for (const kind of ['webdav', 's3']) {
    const place = { kind, address: 'https://:hidden@storage.invalid', ...unused }
    const { body } = await call('addCopyPlace', { place, password: owner.password })
    expect(body.problems).toMatchObject([{ field: 'address', problem: expect.stringContaining('such as') }])
  }
})

test('nothing is added without the password, or on the disk of the server without a permission', async () => {
  const wrong = refusal(401, 'AuthenticationRequired')
  expect(await add(disk, { password: undefined })).toMatchObject(refusal(400, 'PasswordRequired'))
  expect(await add(disk, { password: 'wrong' })).toMatchObject(wrong)
  expect(await add(disk, { sameDisk: false })).toMatchObject(refusal(400, 'SameDisk'))
  expect(await readdir(disk)).toEqual([])
})

test('a folder gets a copy in a folder of its own, and the session goes on', async () => {
  await writeFile(join(disk, 'letter.txt'), 'Dear Olga')
  expect(await add(disk)).toMatchObject({ status: 200, body: { problems: [], url } })
  await expect.poll(async () => (await copies())?.places[0]?.lastCopiedAt, soon).toEqual(expect.any(String))
  expect(await copies()).toMatchObject({ places: [{ url, added: true }], sheetKept: false })
  expect(await readFile(join(disk, 'letter.txt'), 'utf8')).toBe('Dear Olga')
  expect(await readdir(join(disk, 'desktop-pds-copy'))).toContain('pds-replica')
  expect(await problemsOf(disk)).toMatchObject([{ problem: 'Copies are made to this place already.' }])
})

test('the recovery sheet takes the password, and is remembered as kept', async () => {
  expect(await call('getRecoverySheet', {})).toMatchObject(refusal(400, 'PasswordRequired'))
  const { body: sheet } = await call('getRecoverySheet', { password: owner.password })
  expect(sheet).toMatchObject({ key: expect.stringMatching(/^AGE-SECRET-KEY-1/), places: [url] })
  expect(sheet.text).toContain(sheet.key)
  const { body: listed } = await server.get('com.core.server.listSecurityChanges', {}, owner)
  expect(listed.changes[0]).toMatchObject({ change: 'recoverySheet', byAdmin: false })
  const { identity: other } = await ReplicaKey.generate()
  for (const key of ['', other, sheet.key.slice(0, -1)])
    expect(await call('keepRecoverySheet', { key })).toMatchObject(refusal(400, 'InvalidRequest'))
  expect(await copies()).toMatchObject({ sheetKept: false })
  expect(await call('keepRecoverySheet', { key: sheet.key })).toMatchObject({ status: 200 })
  expect(await copies()).toMatchObject({ sheetKept: true })
})

test('a place that is removed keeps its copy, and can be added again', async () => {
  expect(await call('removeCopyPlace', { url })).toMatchObject({ status: 200 })
  await expect.poll(async () => (await copies())?.places, soon).toEqual([])
  expect(await call('removeCopyPlace', { url })).toMatchObject(refusal(400, 'PlaceNotFound'))
  expect(await readdir(join(disk, 'desktop-pds-copy'))).toContain('pds-replica')
  // By the folder itself.
  expect(await add(join(disk, 'desktop-pds-copy'))).toMatchObject({ body: { url } })
  await expect.poll(async () => (await copies())?.places, soon).toMatchObject([{ url }])
})

test('settings that cannot be saved leave a place as it is, and say what to do', async () => {
  const settings = join(server.dataDir, 'settings.json')
  const content = await readFile(settings)
  await rm(settings)
  await mkdir(settings)
  const problem = /^The settings could not be saved \(E\w+\)\. Check the disk/
  const more = await server.makeFolder('more')
  expect(await problemsOf(more)).toMatchObject([{ problem: expect.stringMatching(problem) }])
  expect(await call('removeCopyPlace', { url })).toMatchObject({
    ...refusal(400, 'PlacesNotSaved'),
    body: { message: expect.stringMatching(problem) },
  })
  await rm(settings, { recursive: true })
  await writeFile(settings, content)
  expect(await copies()).toMatchObject({ places: [{ url }] })
})

test('the copy of another server is refused', async () => {
  const head = join(disk, 'desktop-pds-copy/pds-replica')
  const other = await server.makeFolder('foreign')
  await writeFile(join(other, 'pds-replica'), (await readFile(head, 'utf8')).replace(/"key":"./, '"key":"0'))
  expect(await problemsOf(other)).toMatchObject([{ problem: expect.stringContaining('another server') }])
  await rm(other, { recursive: true })
})

test('other people have no places', async () => {
  const guest = await server.account('guest')
  const refused = refusal(403, 'Forbidden')
  expect(await call('addCopyPlace', { place: { kind: 'folder', address: disk } }, guest)).toMatchObject(
    refused,
  )
  expect(await call('getRecoverySheet', { password: guest.password }, guest)).toMatchObject(refused)
})

// Last: the server may start twice again.
test('two pages add a place each at once: both are kept, and the same one is added once', async () => {
  const before = (await copies())?.places.map((place: { url: string }) => place.url)
  const folders = await Promise.all(['first', 'second'].map((name) => server.makeFolder(name)))
  // The start after the first one cuts calls off that take longer than a second: they are made again.
  const addUntilAnswered = async (folder: string): Promise<unknown> =>
    (await add(folder).catch(() => undefined)) ?? addUntilAnswered(folder)
  await Promise.all([...folders, ...folders].map(addUntilAnswered))
  const added = folders.map((folder) => pathToFileURL(join(folder, 'desktop-pds-copy')).href)
  const listed = async () => (await copies())?.places.map((place: { url: string }) => place.url).sort()
  await expect.poll(listed, soon).toEqual([...before, ...added].sort())
})
