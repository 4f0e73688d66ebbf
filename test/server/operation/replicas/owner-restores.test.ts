/** Restores that the owner asks for over HTTP, of a server of the command line, which comes back by itself. */
import { readdir } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBackup } from '../../../../server/operation/replicas/local/backups.ts'
import { blobOf, png } from '../../../support/records/blobs.ts'
import { ServeProcess } from '../../../support/server/serve-process.ts'
import { type Account, refusal } from '../../../support/server/server.ts'

const soon = { timeout: 60_000 }
let server: ServeProcess
let owner: Account
let disk: string

beforeAll(async () => {
  server = await ServeProcess.start()
  owner = await server.account('olga')
  disk = await server.makeFolder('disk')
})
afterAll(() => server.close())

const call = (name: string, input?: object, auth = owner) =>
  server.post(`com.core.admin.${name}`, input, auth)
const proof = () => ({ password: owner.password })
const state = () => server.ask('getRestore', owner)
const until = (step: string) => expect.poll(async () => (await state())?.step, soon).toBe(step)
async function open(input: object): Promise<string> {
  const { body } = await call('openRestore', input)
  await until('opened')
  return body.id
}
const handles = async () =>
  (await server.ask('listAccounts', owner))?.accounts.map(({ handle }: { handle: string }) => handle)

test('a backup is restored after its content was shown, and the server comes back at its address', async () => {
  // A backup has the database compressed, and media in a folder that all backups share.
  const picture = await blobOf(server, owner, png('picture', 500_000))
  const note = { repo: owner.did, collection: 'com.example.note', record: { picture } }
  expect(await server.post('com.core.repo.createRecord', note, owner)).toMatchObject({ status: 200 })
  // Beside the server, without the test of a backup, which takes long on a busy computer.
  const { at: madeAt } = await makeBackup({ dataDir: server.dataDir, now: () => new Date() })
  const at = madeAt.toISOString()
  await server.account('later')
  const id = await open({ at })
  const { preview } = (await state()) ?? {}
  expect(preview).toMatchObject({ at, handles: ['olga.test'], missingBlobs: 0 })
  expect(preview).toMatchObject({ records: 1, blobs: 1 })
  expect(preview.bytes).toBeGreaterThan(600_000)

  expect(await call('restoreServer', { id })).toMatchObject(refusal(400, 'PasswordRequired'))
  expect(await handles()).toEqual(['olga.test', 'later.test'])
  expect(await call('restoreServer', { id, ...proof() })).toMatchObject({ status: 200 })
  await until('restored')
  const texts = (await server.mailsTo(owner.email)).map(({ text }) => text)
  expect(texts).toEqual([expect.stringContaining('A restore of the server')])
  expect(await state()).toMatchObject({ result: { at, missingMedia: 0 } })
  expect(await handles()).toEqual(['olga.test'])
  expect(await call('restoreServer', { id, ...proof() })).toMatchObject(refusal(400, 'NothingOpened'))
})

test('the last restore is undone, and what it had replaced is kept in its place', async () => {
  const [replaced] = (await server.ask('listReplacedData', owner))?.data ?? []
  expect(await readdir(server.dataDir)).toContain(replaced.name)
  expect(replaced).toMatchObject({ bytes: expect.any(Number), keptUntil: expect.any(String) })
  for (const name of ['../disk', 'blobs', '.'])
    expect(await call('undoRestore', { name, ...proof() })).toMatchObject(refusal(400, 'DataNotFound'))
  expect(await call('undoRestore', { name: replaced.name })).toMatchObject(refusal(400, 'PasswordRequired'))
  expect(await call('undoRestore', { name: replaced.name, ...proof() })).toMatchObject({ status: 200 })
  await until('restored')
  expect(await handles()).toEqual(['olga.test', 'later.test'])

  const [kept] = (await server.ask('listReplacedData', owner))?.data ?? []
  for (const name of ['../disk', 'backups'])
    expect(await call('deleteReplacedData', { name, ...proof() })).toMatchObject(refusal(400, 'DataNotFound'))
  expect(await call('deleteReplacedData', { name: kept.name })).toMatchObject(
    refusal(400, 'PasswordRequired'),
  )
  expect(await call('deleteReplacedData', { name: kept.name, ...proof() })).toMatchObject({ status: 200 })
  expect(await readdir(server.dataDir)).not.toContain(kept.name)
})

test('a place that was added has restore points; its state is fetched, and a preview is closed', async () => {
  const place = { kind: 'folder', address: disk }
  const { body: added } = await call('addCopyPlace', { place, sameDisk: true, ...proof() })
  const lastCopiedAt = async () => (await server.ask('getCopies', owner))?.places[0]?.lastCopiedAt
  await expect.poll(lastCopiedAt, soon).toEqual(expect.any(String))
  const { url } = added
  const { body } = await server.get('com.core.admin.listRestorePoints', { url }, owner)
  expect(body.points).toMatchObject([{ at: expect.any(String) }])
  const other = await server.get('com.core.admin.listRestorePoints', { url: pathToFileURL(disk).href }, owner)
  expect(other).toMatchObject(refusal(400, 'PlaceUnavailable'))

  const fetched = await open({ url })
  expect((await state())?.preview.handles).toEqual(['olga.test', 'later.test'])
  expect(await readdir(server.dataDir)).toContain('copy.fetched')
  await call('cancelRestore', { id: fetched })
  expect(await state()).toEqual({ step: 'none' })
  expect(await readdir(server.dataDir)).not.toContain('copy.fetched')

  await server.account('last')
  const id = await open({ url, at: body.points[0].at })
  await call('restoreServer', { id, ...proof() })
  await until('restored')
  expect(await handles()).toEqual(['olga.test', 'later.test'])
})

test('a page restores only what it has shown, if another page has opened another state since', async () => {
  const backup = async () => (await makeBackup({ dataDir: server.dataDir, now: () => new Date() })).at
  const before = (await backup()).toISOString()
  await server.account('newest')
  const shown = await open({ at: (await backup()).toISOString() })
  const other = await open({ at: before })
  expect(await state()).toMatchObject({ id: other, preview: { at: before } })
  expect(await call('restoreServer', { id: shown, ...proof() })).toMatchObject(refusal(400, 'NothingOpened'))
  expect(await handles()).toContain('newest.test')
  // The page that was first closes its own one alone.
  await call('cancelRestore', { id: shown })
  expect(await state()).toMatchObject({ step: 'opened', id: other })
  await call('cancelRestore', { id: other })
  expect(await state()).toEqual({ step: 'none' })
})

test('what cannot be restored is said, and nothing changes', async () => {
  const { body } = await call('openRestore', { at: '2020-01-01T00:00:00.000Z' })
  await until('failed')
  expect(await state()).toMatchObject({ id: body.id, message: 'This backup no longer exists.' })
  expect(await call('restoreServer', { id: body.id, ...proof() })).toMatchObject(
    refusal(400, 'NothingOpened'),
  )
})

test('other people restore nothing', async () => {
  const guest = await server.account('guest')
  const refused = refusal(403, 'Forbidden')
  expect(await call('openRestore', {}, guest)).toMatchObject(refused)
  expect(await call('restoreServer', { id: 'none', password: guest.password }, guest)).toMatchObject(refused)
  expect(await call('undoRestore', { name: 'x', password: guest.password }, guest)).toMatchObject(refused)
})
