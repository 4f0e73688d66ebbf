/** A fault at every file operation of the start that converts the data folder of the oldest version that is opened. */
import { mkdtempSync, rmSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { checkBackup } from '../../../../server/platform/store/backups/read-backup.ts'
import { parseBackupName } from '../../../../server/platform/store/backups/retention.ts'
import { Database } from '../../../../server/platform/store/database.ts'
import { schema } from '../../../../server/platform/store/schema.ts'
import { earlier, writeEarlierData } from '../../../support/earlier-data.ts'
import { type Fault, FaultyDisk, isPossible } from './faulty-disk.ts'

const directory = '/data'
let base: FaultyDisk
let rows: unknown

const open = ({ files }: FaultyDisk) =>
  Database.open({ directory, schema, now: () => new Date(earlier.at), files })
const read = (db: Database) => [
  db.all('SELECT * FROM records ORDER BY id'),
  db.all('SELECT * FROM accounts ORDER BY id'),
  db.all('SELECT * FROM notifications ORDER BY id'),
]

beforeAll(async () => {
  base = new FaultyDisk()
  const folder = mkdtempSync(join(tmpdir(), 'pds-earlier-'))
  writeEarlierData(folder)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const target = join(directory, relative(folder, entry.parentPath))
    await base.files.makeDir(target)
    if (entry.isFile()) base.put(join(target, entry.name), await readFile(join(entry.parentPath, entry.name)))
  }
  rmSync(folder, { recursive: true })
  base = base.clone()
  expect(base.names(directory)).toContain('pds.sqlite.sha256')
  const whole = base.clone()
  const db = await open(whole)
  rows = read(db)
  expect(read(db)[0]?.length).toBeGreaterThan(5)
  await db.close()
})

/** Each fault is tried at every eleventh operation, a different one for each; 1 tries all. */
const stride = 11
const faults: Fault[] = [
  ...(['fails', 'works but fails', 'disk full', 'disk removed', 'torn write', 'lost sync', 'kill'] as const),
  ...(['power cut', 'power cut, prefix kept', 'power cut, last kept', 'power cut, sectors kept'] as const),
]

test.each(faults)(
  '%s at operations of the conversion loses nothing, and leaves a backup',
  {
    timeout: 300_000,
  },
  async (fault) => {
    const whole = base.clone()
    await (await open(whole)).close()
    expect(whole.history.length).toBeGreaterThan(50)
    const verified = new Set<string>()
    for (const [index, operation] of whole.history.entries()) {
      if (index % stride !== faults.indexOf(fault) % stride || !isPossible(fault, operation)) continue
      const where = `operation ${index + 1}`
      const disk = base.clone()
      disk.failAt(index + 1, fault)
      await open(disk)
        .then((db) => db.close())
        .catch(() => {})
      if (!disk.off) disk.cutPower()
      disk.restart()
      const state = disk.fingerprint()
      if (verified.has(state)) continue
      verified.add(state)

      const db = await open(disk)
      expect(read(db), where).toEqual(rows)
      expect(db.get('PRAGMA integrity_check'), where).toEqual({ integrity_check: 'ok' })
      await db.transact((tx) =>
        tx.run("UPDATE accounts SET email = 'changed@example.test' WHERE handle = 'alice.test'"),
      )
      disk.cutPower()
      await db.close()
      disk.restart()

      const again = await open(disk)
      expect(again.get("SELECT email FROM accounts WHERE handle = 'alice.test'"), where).toEqual({
        email: 'changed@example.test',
      })
      await again.close()
      const names = disk.names(join(directory, 'backups'))
      const upgrades = names.filter((name) => parseBackupName(name)?.kind === 'upgrade')
      expect(upgrades.length, where).toBeGreaterThan(0)
      const checked = await checkBackup(
        directory,
        join(directory, 'backups', upgrades[0] ?? ''),
        { files: disk.files },
        (_, { sqlite }) => sqlite.all('SELECT did FROM accounts ORDER BY id'),
      )
      expect(checked, where).toHaveLength((rows as unknown[][])[1]?.length ?? 0)
    }
  },
)
