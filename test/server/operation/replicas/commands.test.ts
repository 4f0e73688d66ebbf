/** `npm run backup` and `npm run restore`, for backups and for a place. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listBackups } from '../../../../server/operation/replicas/local/list.ts'
import { ReplicaKey } from '../../../../server/operation/replicas/replica-key.ts'
import { post, runCommand, textsAt } from '../../../support/replicas/copies.ts'
import { minute } from '../../../support/server/clock.ts'
import { TestServer } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

let root: string
let place: string
const url = () => pathToFileURL(place).href
const sheet = () => join(root, 'sheet.txt')
const dataDir = () => server.config.dataDir
const copies = () => server.running.services.operation.copies

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pds-commands-'))
})
afterAll(() => rm(root, { recursive: true }))
setupServer({
  per: 'test',
  accounts: ['alice'],
  config: () => {
    place = join(root, `place-${Math.random()}`)
    return { copies: [url()] }
  },
})
beforeEach(async () => {
  await mkdir(place)
  copies().wake()
  await write('the first')
  // That of the server before is kept.
  await rm(sheet(), { force: true })
  await runCommand('backup', ['--sheet', sheet(), '--data-dir', dataDir()])
})

/** Writes a post, and waits for its copy. */
async function write(text: string): Promise<void> {
  await post(server, text)
  await copies().flush(20_000)
}

const backup = () => runCommand('backup', ['--data-dir', dataDir()])
const restore = (...args: string[]) => runCommand('restore', [...args, '--data-dir', dataDir()])
const ofPlace = () => ['--from', url(), '--key', sheet()]

/** Returns the state that the command prints. */
async function status() {
  return JSON.parse(await runCommand('backup', ['--status', '--data-dir', dataDir()]))
}

/** Returns the times of a list. */
function timesIn(list: string): string[] {
  return list.split('\n').flatMap((line) => /^\d{4}-\S+Z/.exec(line)?.[0] ?? [])
}

test('the state has the backups first, with the last one and its proof, then the places', async () => {
  const backups = { place: pathToFileURL(join(dataDir(), 'backups')).href, behindSeconds: null, error: null }
  // The server writes the status of the places shortly after its start.
  await expect
    .poll(status, { timeout: 20_000 })
    .toEqual([
      { ...backups, lastCopiedAt: null, lastProvenAt: null },
      expect.objectContaining({ place: url() }),
    ])
  await backup()
  const [time] = timesIn(await restore('--list'))
  const [first] = await status()
  expect(first).toEqual({ ...backups, lastCopiedAt: time, lastProvenAt: expect.any(String) })
})

test('a backup that is damaged is an error of the backups', async () => {
  const [file = ''] = (await backup()).split(' (')
  const bytes = await readFile(file)
  bytes.writeUInt8(bytes.readUInt8(200) ^ 1, 200)
  await writeFile(file, bytes)
  const [made] = await listBackups(dataDir())
  if (made) await server.running.services.operation.backupProofs.prove(made)
  const [{ error, lastProvenAt }] = await status()
  expect(error).toMatch(/^The file (does not match its checksum|is damaged or cut short)\.$/)
  expect(lastProvenAt).not.toBeNull()
})

test('a backup is restored by its time, after the command has said what comes back', async () => {
  await backup()
  await write('the second')
  await backup()
  const [, older = ''] = timesIn(await restore('--list'))
  await server.running.close()
  await expect(restore('2020-01-01T00:00:00.000Z')).rejects.toThrow('There is no backup of 2020-')
  const output = await restore(older)
  const lines = output.split('\n')
  expect(lines[0]).toMatch(/^To restore: the server as of .*\. It has alice\.test\. The last change is of /)
  expect(lines[1]).toBe('Other restore points: 1. --list shows them.')
  expect(lines[2]).toMatch(
    new RegExp(`^Restored the backup of ${older}\\. The replaced files are in .*replaced-`),
  )
  await server.open()
  expect(await textsAt(server)).toEqual(['the first'])
})

test('restore points of a place are listed and restored by the same command', async () => {
  await server.elapse(60 * minute)
  await write('the second')
  const times = timesIn(await restore('--list', ...ofPlace()))
  expect(times.length).toBeGreaterThanOrEqual(2)
  const other = join(root, 'other.txt')
  await writeFile(other, (await ReplicaKey.generate()).identity)
  const withKey = (file: string) => restore('--list', '--from', url(), '--key', file)
  await expect(withKey(other)).rejects.toThrow('The key does not belong')
  await expect(withKey(root)).rejects.toThrow('A folder was named where a file is needed.')
  await server.running.close()
  const output = await restore(...ofPlace(), '--at', times.at(-1) ?? '')
  expect(output).toContain(`To restore: the server as of ${times.at(-1)}. It has alice.test.`)
  expect(output).toContain(`Other restore points: ${times.length - 1}.`)
  await server.open()
  expect(await textsAt(server)).toEqual(['the first'])
})

test('after a wrong restore, the last state before it is named, listed and restored from the place', async () => {
  await backup()
  await server.elapse(minute)
  await write('the second')
  const [older = ''] = timesIn(await restore('--list'))
  await server.running.close()
  await restore(older)
  await server.open()
  await server.elapse(minute)
  await write('the third')
  await server.running.close()
  const [line = ''] =
    (await restore('--list', ...ofPlace())).match(/.*the last state before a restore.*/) ?? []
  const [before = ''] = timesIn(line)
  expect(await restore(...ofPlace())).toContain(
    `Among them the last states before a restore, or of another computer: ${before}.`,
  )
  expect(await restore(...ofPlace(), '--at', before)).toMatch(
    /Other restore points: \d+\. --list shows them\. The newest is of \S+Z\.\n/,
  )
  await server.open()
  expect(await textsAt(server)).toEqual(['the first', 'the second'])
})

test('a damaged page that no backup has is taken from a place: nothing is lost', async () => {
  await backup()
  await write('the second')
  await server.running.close()
  const database = join(dataDir(), 'pds.sqlite')
  const bytes = await readFile(database)
  const at = bytes.indexOf('the second')
  expect(at).toBeGreaterThan(0)
  bytes[at] = 0
  await writeFile(database, bytes)

  const asked = await restore('--salvage').catch((error: { stdout: string }) => error.stdout)
  expect(asked).toContain('No backup has the damaged pages')
  expect(asked).toContain('With --from URL --key FILE')
  const output = await restore('--salvage', '--accept-loss', ...ofPlace())
  expect(output).toContain('taken from a backup or place')
  expect(output).toContain('No transaction is lost.')
  expect(await readdir(join(dataDir(), 'backups'))).not.toContainEqual(expect.stringContaining('check-'))
  const there = await TestServer.start({ dataDir: dataDir() })
  expect(await textsAt(there)).toEqual(['the first', 'the second'])
  await there.close()
})

test('a database that is lost is taken from a place: nothing is lost', async () => {
  await write('the second')
  await server.running.close()
  for (const name of ['pds.sqlite', 'pds.sqlite.pages']) await rm(join(dataDir(), name))
  await expect(restore('--salvage', '--accept-loss')).rejects.toThrow('there is no intact backup beside it')
  const output = await restore('--salvage', '--accept-loss', ...ofPlace())
  expect(output).toMatch(/No backup or place has the damaged pages.* The newest intact one is used: bases/)
  await server.open()
  expect(await textsAt(server)).toEqual(['the first', 'the second'])
})

test('a lost database is not replaced with that of another server, whose place was named', async () => {
  const folder = join(root, 'place of others')
  await mkdir(folder)
  const others = await TestServer.start({ copies: [pathToFileURL(folder).href] })
  await others.running.services.operation.copies.flush(20_000)
  await others.running.close()
  const key = join(root, 'sheet of others')
  await runCommand('backup', ['--sheet', key, '--data-dir', others.config.dataDir])
  await others.close()
  await server.running.close()
  for (const name of ['pds.sqlite', 'pds.sqlite.pages']) await rm(join(dataDir(), name))
  const place = ['--from', pathToFileURL(folder).href, '--key', key]
  await expect(restore('--salvage', '--accept-loss', ...place)).rejects.toThrow('may have another server')
  await restore('--salvage', '--accept-loss', ...ofPlace())
  await server.open()
  expect(await textsAt(server)).toEqual(['the first'])
})

test('a flag of another command is refused', async () => {
  await expect(runCommand('backup', ['--status', '--sheet', sheet()])).rejects.toThrow('npm run backup --')
  const wrong = [
    ['--list', '--salvage'],
    ['--undo', ...ofPlace()],
    ['--at', '2030-01-01T00:00Z'],
  ]
  for (const flags of wrong) await expect(restore(...flags)).rejects.toThrow('npm run restore --')
})

test('a flag that would have no effect is refused', async () => {
  const time = '2030-01-01T00:00Z'
  const wrong = [
    ['at', '--list', ...ofPlace(), '--at', time],
    ['at', '--salvage', ...ofPlace(), '--at', time],
    ['accept-loss', '--list', '--accept-loss'],
    ['accept-loss', '--undo', '--accept-loss'],
    ['accept-changed', ...ofPlace(), '--accept-changed'],
    ['passphrase-file', ...ofPlace(), '--passphrase-file', sheet()],
    ['key', '--key', sheet(), 'file.sqlite'],
  ]
  for (const [name, ...flags] of wrong)
    await expect(restore(...flags)).rejects.toThrow(`--${name} has no effect here.`)
  const [file = ''] = (await backup()).split(' (')
  const [made = ''] = timesIn(await restore('--list'))
  await expect(restore(made, '--passphrase-file', sheet())).rejects.toThrow('has no passphrase')
  await expect(restore(file, '--passphrase-file', sheet())).rejects.toThrow('is not encrypted')
})
