/** Folders with the data that a restore replaced: they hold account keys, and are deleted after 30 days. */
import { mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { periodicJobs } from '../../../../server/operation/jobs/jobs.ts'
import { schema } from '../../../../server/schema/schema.ts'
import { deleteReplaced, listReplaced } from '../../../../server/store/backups/replaced.ts'
import { restore } from '../../../../server/store/backups/restore.ts'
import { runCommand } from '../../../support/replicas/copies.ts'
import { day } from '../../../support/server/clock.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

let dir: string

setupServer({ config: { logLevel: 'info' }, per: 'test' })
beforeEach(async () => {
  dir = server.config.dataDir
})

const folders = async () => (await readdir(dir)).filter((name) => name.startsWith('replaced')).sort()

/** Restores a backup of the server. Returns the name of the folder with the replaced data. */
async function restoreData(): Promise<string> {
  const file = join(dir, 'outside.zst')
  await server.running.services.store.copyTo(file)
  await server.running.close()
  await restore({ directory: dir, file, schema, now: server.clock.now })
  await server.open()
  const [name = ''] = (await folders()).slice(-1)
  return name
}

/** Runs the job once. */
async function runJob(wanted = 'deletion of replaced data'): Promise<void> {
  const jobs = periodicJobs(server.running.services).filter(({ name }) => name === wanted)
  expect(jobs).toHaveLength(1)
  await jobs[0]?.run()
}

test('replaced data: is kept for 29 days and deleted after 31, with a log line', async () => {
  const alice = await server.account('alice')
  const name = await restoreData()
  const [listed] = await listReplaced(dir)
  expect(listed).toMatchObject({ name, bytes: expect.any(Number) })
  expect(Number(listed?.keptUntil) - Number(listed?.replacedAt)).toBe(30 * day)

  await server.elapse(29 * day)
  await runJob()
  expect(await folders()).toEqual([name])
  await server.elapse(2 * day)
  await runJob()
  expect(await folders()).toEqual([])
  expect(server.logged.join('')).toContain('replaced data deleted')
  expect((await server.signIn(alice)).status).toBe(200)
})

test('replaced data: a wrong clock deletes nothing', async () => {
  const name = await restoreData()
  server.clock.advance(400 * day)
  await server.running.services.clock.check()
  await runJob()
  expect(await folders()).toEqual([name])
})

test('replaced data: a folder with a name older than its files counts from their last change', async () => {
  const name = 'replaced-20200101T000000000Z'
  await mkdir(join(dir, name))
  const file = join(dir, name, 'pds.sqlite')
  await writeFile(file, 'data')
  const changed = new Date(server.clock.now().getTime() - 29 * day)
  await utimes(file, changed, changed)
  await runJob()
  expect(await folders()).toEqual([name])
  await server.elapse(2 * day)
  await runJob()
  expect(await folders()).toEqual([])
})

test('replaced data: nothing but real folders with such a name is listed or deleted', async () => {
  const outside = join(dir, 'outside')
  await mkdir(outside)
  await writeFile(join(outside, 'precious'), 'data')
  const others = [
    'replaced-',
    'replaced-20200101T000000000Z-copy',
    'replaced-20201341T000000000Z',
    'replaced-notes',
  ]
  for (const name of others) await mkdir(join(dir, name))
  await writeFile(join(dir, 'replaced-20200102T000000000Z'), 'a file')
  await symlink(outside, join(dir, 'replaced-20200103T000000000Z'), 'junction')
  const before = await folders()
  expect(await listReplaced(dir)).toEqual([])
  await runJob()
  const names = [
    ...before,
    'outside',
    'backups',
    '.',
    '..',
    '',
    'pds.sqlite',
    '../replaced-20200101T000000000Z',
  ]
  for (const name of names) expect([name, await deleteReplaced(dir, name)]).toEqual([name, false])
  expect(await folders()).toEqual(before)

  const real = 'replaced-20200104T000000000Z'
  await mkdir(join(dir, real))
  await symlink(outside, join(dir, real, 'link'), 'junction')
  expect(await listReplaced(dir)).toMatchObject([{ name: real, bytes: 0 }])
  expect(await deleteReplaced(dir, real)).toBe(true)
  expect(await folders()).toEqual(before)
  expect(await readdir(outside)).toEqual(['precious'])
})

test('replaced data: the command lists folders, and deletes the one that is named', async () => {
  await server.running.close()
  const names = ['replaced-20260101T100000000Z', 'replaced-20260202T100000000Z'] as const
  for (const name of names) await mkdir(join(dir, name))
  await writeFile(join(dir, names[1], 'pds.sqlite'), 'data')
  await utimes(join(dir, names[1], 'pds.sqlite'), new Date(0), new Date(0))
  const list = () => runCommand('restore', ['--list', '--data-dir', dir])
  expect(await list()).toContain(
    `2026-02-02T10:00:00.000Z  4 bytes  ${names[1]}\n  deleted on 2026-03-04\n` +
      `2026-01-01T10:00:00.000Z  0 bytes  ${names[0]}\n  deleted on 2026-01-31\n`,
  )
  const forget = (name: string) => runCommand('restore', ['--forget', name, '--data-dir', dir])
  for (const wrong of ['replaced-notes', `../${basename(dir)}/${names[0]}`, 'backups', '']) {
    await expect(forget(wrong)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no folder of replaced files'),
    })
  }
  expect(await forget(names[0])).toMatch(/^Deleted .*replaced-20260101T100000000Z/)
  expect(await folders()).toEqual([names[1]])
  expect(await list()).not.toContain(names[0])
  await server.open()
})

test('fetched data of an interrupted restore are kept for 6 days and deleted after 8, with a log line', async () => {
  const folder = join(dir, 'copy.fetched')
  const part = join(folder, 'base', 'parts', '00001')
  await mkdir(join(part, '..'), { recursive: true })
  await writeFile(part, 'part')
  const fetched = server.clock.now()
  await utimes(part, fetched, fetched)
  await server.elapse(6 * day)
  await runJob('deletion of fetched data')
  expect(await readdir(folder)).toEqual(['base'])
  await server.elapse(2 * day)
  await runJob('deletion of fetched data')
  expect(await readdir(dir)).not.toContain('copy.fetched')
  expect(server.logged.join('')).toContain('files of an interrupted restore deleted')
  await runJob('deletion of fetched data')
})

test('fetched data: a wrong clock deletes nothing', async () => {
  await mkdir(join(dir, 'copy.fetched'))
  server.clock.advance(400 * day)
  await server.running.services.clock.check()
  await runJob('deletion of fetched data')
  expect(await readdir(dir)).toContain('copy.fetched')
})
