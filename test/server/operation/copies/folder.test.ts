import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { TestServer } from '../../../support/server.ts'
import { owner as alice, server, setupServer } from '../../../support/setup.ts'

let place: string
let elsewhere: string
let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pds-copies-'))
  place = join(root, 'place')
  elsewhere = join(root, 'elsewhere')
  await mkdir(place)
})
afterAll(() => rm(root, { recursive: true }))
setupServer({ config: () => ({ copies: [pathToFileURL(place).href] }), accounts: ['alice'] })

function post(text: string) {
  const record = { text, createdAt: '2030-01-01T00:00:00Z' }
  return server.post(
    'com.core.repo.createRecord',
    { repo: alice.did, collection: 'app.example.feed.post', record },
    alice,
  )
}

async function textsAt(there: TestServer): Promise<string[]> {
  const records = { repo: alice.did, collection: 'app.example.feed.post' }
  const { body } = await there.get('com.core.repo.listRecords', records)
  return body.records.map(({ value }: { value: { text: string } }) => value.text)
}

/** Runs a command without a terminal. */
function run(command: string, ...args: string[]) {
  const script = fileURLToPath(new URL(`../../../../server/operation/cli/${command}.ts`, import.meta.url))
  return promisify(execFile)(process.execPath, ['--no-warnings', script, ...args])
}

function copied(): Promise<void> {
  return vi.waitFor(
    async () => {
      const { stdout } = await run('copy', '--status', '--data-dir', server.config.dataDir)
      expect(JSON.parse(stdout)).toEqual([
        {
          place: pathToFileURL(place).href,
          lastCopiedAt: expect.any(String),
          behindSeconds: 0,
          lastProvenAt: null,
          error: null,
        },
      ])
    },
    { timeout: 20_000 },
  )
}

test('what was copied is restored on another computer, as it was last and as it was before', async () => {
  await post('one')
  await copied()
  await post('two')
  await copied()
  const names = await readdir(place, { recursive: true })
  const sheet = join(root, 'sheet.txt')
  await run('copy', '--sheet', sheet, '--data-dir', server.config.dataDir)
  const { stdout } = await run(
    'restore',
    '--from',
    pathToFileURL(place).href,
    '--key',
    sheet,
    '--data-dir',
    elsewhere,
  )
  expect(stdout).toContain('Restored the copy of ')
  const there = await TestServer.start({ dataDir: elsewhere, copies: [pathToFileURL(place).href] })
  expect(await textsAt(there)).toEqual(['two', 'one'])
  expect((await there.signIn(alice)).status).toBe(200)
  // It continues the copy, with the key of the sheet.
  await vi.waitFor(
    () => {
      const [{ problem, copiedAt } = {}] = there.running.services.operation.copies.status()
      expect(problem).toBeUndefined()
      expect(copiedAt).toBeDefined()
    },
    { timeout: 20_000 },
  )
  await there.close()

  // What the place can read.
  for (const name of names) {
    expect(name).not.toMatch(/alice|did/)
    const content = await readFile(join(place, name)).catch(() => Buffer.alloc(0))
    expect(content.includes('alice')).toBe(false)
    expect(content.includes('did:')).toBe(false)
  }
})
