/** Decisions of the owner about a place: to begin anew where the copy no longer exists, and to give up changes that the disk has lost. */
import { mkdtempSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { schema } from '../../../../server/schema/schema.ts'
import { post } from '../../../support/replicas/copies.ts'
import { adminAuth, refusal } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'
import { copyDataFolder } from '../../../support/store/copy-data-folder.ts'

let root: string
let place: string
let url: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pds-copies-'))
})
afterAll(() => rm(root, { recursive: true }))
setupServer({
  per: 'test',
  accounts: ['alice'],
  config() {
    place = mkdtempSync(join(root, 'place-'))
    url = pathToFileURL(place).href
    return { copies: [url] }
  },
})

/** Waits for a state of the place, as the owner sees it. */
function seen(state: object): Promise<void> {
  return vi.waitFor(
    async () => {
      const { body } = await server.get('com.core.admin.getCopies', {}, adminAuth)
      expect(body.places[0]).toEqual({ ...body.places[0], ...state })
    },
    { timeout: 20_000 },
  )
}

const copied = () => seen({ lastCopiedAt: expect.any(String), behindSeconds: 0, problem: undefined })
const decide = (method: string, at: string) => server.post(`com.core.admin.${method}`, { url: at }, adminAuth)
const copies = () => server.running.services.operation.copies
const refused = { status: 400, body: { error: 'InvalidRequest' } }

test('the folder of a disk that is disconnected while the server runs gets nothing, and counts as empty', async () => {
  await post(server, 'one')
  await copied()
  const disk = join(root, `disk-${Math.random()}`)
  await rename(place, disk)
  await mkdir(place)
  await post(server, 'two')
  await seen({ problem: expect.objectContaining({ kind: 'empty' }) })
  expect(await readdir(place)).toEqual([])
  await rmdir(place)
  await rename(disk, place)
  await copied()
})

test('an empty place gets a new copy once the owner accepts that it is empty, and not before', async () => {
  await post(server, 'one')
  await copied()
  expect(await decide('acceptEmptyPlace', url)).toMatchObject(refused)
  for (const name of await readdir(place)) await rm(join(place, name), { recursive: true })
  copies().wake()
  await seen({ problem: expect.objectContaining({ kind: 'empty' }) })
  expect(await decide('acceptEmptyPlace', pathToFileURL(root).href)).toMatchObject(refused)
  expect(await decide('acceptEmptyPlace', 'no URL')).toMatchObject(refused)
  await copies().flush(20_000)
  expect(await readdir(place)).toEqual([])

  const accept = (proof: object) => server.post('com.core.admin.acceptEmptyPlace', { url, ...proof }, alice)
  expect(await accept({})).toMatchObject(refusal(400, 'PasswordRequired'))
  expect(await accept({ password: 'a guess' })).toMatchObject(refusal(401, 'AuthenticationRequired'))
  await copies().flush(20_000)
  expect(await readdir(place)).toEqual([])
  expect((await accept({ password: alice.password })).status).toBe(200)
  const { body } = await server.get('com.core.server.listSecurityChanges', {}, alice)
  expect(body.changes[0]).toMatchObject({ change: 'backups', byAdmin: false })
  await copied()
  expect(await readdir(place)).toContain('pds-replica')
  expect(await decide('acceptEmptyPlace', url)).toMatchObject(refused)
})

/** Replaces the program by a later version, which upgrades the data. */
function updateProgram(): void {
  const { sql, upgrades } = schema
  const upgrade = 'CREATE TABLE later (id INTEGER)'
  onTestFinished(() => void Object.assign(schema, { sql, upgrades }))
  Object.assign(schema, { sql: `${sql};\n${upgrade}`, upgrades: [...upgrades, upgrade] })
}

test.each([
  ['also after a restart', () => {}],
  ['also if the program is updated before they are noticed', updateProgram],
])('changes that the disk has lost are offered until the owner dismisses them, %s', async (_, meanwhile) => {
  await post(server, 'one')
  await copied()
  const { dataDir } = server.config
  const earlier = join(root, 'earlier')
  await copyDataFolder(dataDir, earlier)
  await post(server, 'two')
  await post(server, 'three')
  await copies().flush(20_000)
  await server.running.close()
  for (const name of await readdir(dataDir)) await rm(join(dataDir, name), { recursive: true })
  await cp(earlier, dataDir, { recursive: true })
  meanwhile()
  await server.open()

  await seen({ lost: { changes: expect.any(Number), until: expect.any(String) } })
  expect(await decide('dismissLostChanges', pathToFileURL(root).href)).toMatchObject(refused)
  await seen({ lost: { changes: expect.any(Number), until: expect.any(String) } })
  const dismiss = (proof: object) =>
    server.post('com.core.admin.dismissLostChanges', { url, ...proof }, alice)
  expect(await dismiss({})).toMatchObject(refusal(400, 'PasswordRequired'))
  await seen({ lost: { changes: expect.any(Number), until: expect.any(String) } })
  expect((await dismiss({ password: alice.password })).status).toBe(200)
  await seen({ lost: undefined })
  expect((await decide('dismissLostChanges', url)).status).toBe(200)
  await server.restart()
  await copied()
  await seen({ lost: undefined })
})
