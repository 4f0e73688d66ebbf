/** Changes of places that overlap: of two browser windows, or of an impatient person. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createOwnPlaces, type OwnPlaces } from '../../../../server/operation/replicas/own-places.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { createLogger } from '../../../../server/util/log.ts'
import { yieldToEventLoop } from '../../../../server/util/timers.ts'

let folder: string
let urls: readonly string[]
let places: OwnPlaces

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pds-test-'))
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  urls = []
  let credentials: string | undefined
  const save = async (change: () => void) => {
    await yieldToEventLoop()
    change()
  }
  places = createOwnPlaces({
    config: { dataDir, copies: [] },
    host: {
      places: {
        list: () => urls,
        save: (next) => save(() => (urls = next)),
        setBy: undefined,
      },
    },
    keeper: {
      read: async () => credentials,
      write: (text) => save(() => (credentials = text)),
    },
    files: nodeFiles,
    log: createLogger('fatal'),
  })
})
afterEach(() => rm(folder, { recursive: true }))

async function add(name: string): Promise<string | undefined> {
  const address = join(folder, name)
  await mkdir(address)
  const unused = { user: '', bucket: '', region: '', accessKeyId: '', secret: '' }
  const added = await places.add({ kind: 'folder', address, ...unused }, { maySameDisk: true })
  return added === 'sameDisk' ? undefined : added.url
}

test('places that are added at the same time are all kept', async () => {
  const added = await Promise.all(['one', 'two', 'three'].map(add))
  expect([...urls].sort()).toEqual(added.sort())
})

test('recovery sheets that are shown at the same time, while a place is added, have one key', async () => {
  const [one, two] = await Promise.all([places.sheet(), places.sheet(), add('first')])
  const { key } = await places.sheet()
  expect([one.key, two.key]).toEqual([key, key])
})
