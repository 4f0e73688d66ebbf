/** The recovery sheet and the key of a restored server. */
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { credentialsName } from '../../../../server/operation/replicas/credentials.ts'
import { writeHead } from '../../../../server/operation/replicas/lease.ts'
import { openPlace } from '../../../../server/operation/replicas/places/open.ts'
import { ReplicaKey } from '../../../../server/operation/replicas/replica-key.ts'
import { createSealer } from '../../../../server/operation/replicas/sealer.ts'
import { runCommand } from '../../../support/replicas/copies.ts'

let root: string
let dataDir: string
let places: string[]

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'pds-sheet-'))
  dataDir = join(root, 'data')
  const folders = ['one', 'two'].map((name) => join(root, name))
  for (const folder of [dataDir, ...folders]) await mkdir(folder)
  places = folders.map((folder) => pathToFileURL(folder).href)
})
afterEach(() => rm(root, { recursive: true }))

/** Makes a place one that this key opens. */
async function begin(place = '', key: ReplicaKey): Promise<void> {
  const sealer = createSealer(key)
  await writeHead({ place: await openPlace(place), sealer })
  await sealer.end()
}

function keep(key: ReplicaKey): Promise<void> {
  return writeFile(join(dataDir, credentialsName), JSON.stringify({ key: key.identity }), { mode: 0o600 })
}

const sheet = () =>
  runCommand('backup', ['--sheet', join(root, 'sheet.txt'), '--data-dir', dataDir], {
    PDS_COPIES: places.join(','),
  })

test('a sheet is of a key that is there: none is made for it', async () => {
  await expect(sheet()).rejects.toThrow('There is no key of copies')
  expect(await readdir(dataDir)).toEqual([])
  expect(await readdir(root)).not.toContain('sheet.txt')
})

test('a sheet is of a key that opens each place; those that do not respond are named', async () => {
  const [key, other] = [await ReplicaKey.generate(), await ReplicaKey.generate()]
  await keep(key)
  await begin(places[0], key)
  await begin(places[1], other)
  await expect(sheet()).rejects.toThrow(`The key does not open the copy at ${places[1]}`)
  expect(await readdir(root)).not.toContain('sheet.txt')
  await rename(join(root, 'two'), join(root, 'away'))
  expect(await sheet()).toContain(`Not compared, because it cannot be read: ${places[1]}`)
  expect(await readFile(join(root, 'sheet.txt'), 'utf8')).toContain(key.identity)
})

test('the sheet of another server is kept', async () => {
  const [key, other] = [await ReplicaKey.generate(), await ReplicaKey.generate()]
  await keep(key)
  await sheet()
  await sheet()
  await keep(other)
  await expect(sheet()).rejects.toThrow('it may be the sheet of another server')
  expect(await readFile(join(root, 'sheet.txt'), 'utf8')).toContain(key.identity)
})
