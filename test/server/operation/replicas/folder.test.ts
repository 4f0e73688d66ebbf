import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { credentialsName } from '../../../../server/operation/replicas/credentials.ts'
import { post, runCommand, textsAt } from '../../../support/replicas/copies.ts'
import { hour, minute } from '../../../support/server/clock.ts'
import { TestServer } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

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

function copied(): Promise<void> {
  return vi.waitFor(
    async () => {
      const stdout = await runCommand('backup', ['--status', '--data-dir', server.config.dataDir])
      expect(JSON.parse(stdout).slice(1)).toEqual([
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
  await post(server, 'one')
  await copied()
  await post(server, 'two')
  await copied()
  const names = await readdir(place, { recursive: true })
  const sheet = join(root, 'sheet.txt')
  await runCommand('backup', ['--sheet', sheet, '--data-dir', server.config.dataDir])
  // Its program was started once on the other computer, which made another key.
  const other = 'AGE-SECRET-KEY-1OTHER'
  await mkdir(elsewhere)
  await writeFile(join(elsewhere, credentialsName), JSON.stringify({ key: other }), { mode: 0o600 })
  const stdout = await runCommand('restore', [
    '--from',
    pathToFileURL(place).href,
    '--key',
    sheet,
    '--data-dir',
    elsewhere,
  ])
  expect(stdout).toContain('Restored the copy of ')
  expect(stdout).toContain('The key of the copy replaces another one')
  const kept = JSON.parse(await readFile(join(elsewhere, credentialsName), 'utf8'))
  expect(kept.earlierKeys).toEqual([other])
  const there = await TestServer.start({ dataDir: elsewhere, copies: [pathToFileURL(place).href] })
  expect(await textsAt(there)).toEqual(['one', 'two'])
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

test('a place has what was written before a copy that is made at once', async () => {
  const { copies } = server.running.services.operation
  await copied()
  await post(server, 'three')
  await server.elapse(minute)
  await copies.flush(20_000)
  expect(copies.status()).toMatchObject([{ behindSeconds: 0, seq: server.running.services.store.seq }])
})

test('a place that is away after a restart is behind since its last copy', async () => {
  await copied()
  await server.running.close()
  await rename(place, `${place}-away`)
  await server.elapse(hour)
  await server.open()
  await post(server, 'four')
  const { copies } = server.running.services.operation
  await copies.flush(20_000)
  expect(copies.status()[0]?.problem?.kind).toBe('unreachable')
  expect(copies.status()[0]?.behindSeconds).toBeGreaterThanOrEqual(hour / 1000)
  await rename(`${place}-away`, place)
})
