/** A fault at every file operation of a backup: earlier backups stay as they were, and no false one is listed. */
import { beforeAll, expect, test } from 'vitest'
import { makeBackup } from '../../../../../server/operation/replicas/local/backups.ts'
import { removeLeftovers } from '../../../../../server/operation/replicas/local/leftovers.ts'
import { listBackups } from '../../../../../server/operation/replicas/local/list.ts'
import { checkBackup } from '../../../../../server/store/backups/read-backup.ts'
import { sourceOf } from '../../../../support/replicas/local-backups.ts'
import { type Fault, FaultyDisk, isPossible } from '../../../../support/store/faulty-disk.ts'
import { at, dataDir, kept, one, setMedia, three, two } from './media.ts'

const faults: Fault[] = [
  ...(['fails', 'works but fails', 'disk full', 'torn write', 'lost sync', 'kill', 'power cut'] as const),
  ...(['power cut, prefix kept', 'power cut, last kept', 'power cut, sectors kept'] as const),
]

/** Makes a backup as another process does: its name for a pending file is not that of this one. */
const make = ({ files }: FaultyDisk, minute: number) => makeBackup({ dataDir, now: () => at(minute), files })
const list = ({ files }: FaultyDisk) => listBackups(dataDir, files)

/** Eight backups, of which the next one makes the second expire, and with it the media file `two`. */
let base: FaultyDisk
let operations: FaultyDisk['history']
beforeAll(async () => {
  const disk = new FaultyDisk()
  await disk.files.makeDir(dataDir)
  for (let minute = 1; minute <= 8; minute++) {
    if (minute <= 3) await setMedia(disk, [minute === 2 ? two : one])
    await make(disk, minute)
  }
  await setMedia(disk, [three])
  base = disk.clone()
  const whole = disk.clone()
  await make(whole, 9)
  expect((await list(whole)).map(({ at }) => at.getUTCMinutes())).toEqual([9, 8, 7, 6, 5, 4, 3, 1])
  expect(kept(whole)).toEqual([one, three].toSorted())
  operations = whole.history
})

/** The files of a backup that the test has not made. */
const filesOf = (disk: FaultyDisk, name: string) =>
  disk.names(`/data/backups/${name}`).map((file) => [file, disk.content(`/data/backups/${name}/${file}`)])

async function expectWhole(disk: FaultyDisk, hasNew: boolean, where: string): Promise<void> {
  const earlier = await list(base)
  const listed = await list(disk)
  const minutes = listed.map(({ at }) => at.getUTCMinutes())
  const made = listed.find(({ at }) => at.getUTCMinutes() === 9)
  expect(minutes.slice(made ? 1 : 0), where).toEqual(
    minutes.includes(2) ? [8, 7, 6, 5, 4, 3, 2, 1] : [8, 7, 6, 5, 4, 3, 1],
  )
  if (hasNew || !minutes.includes(2)) expect(made, where).toBeDefined()
  for (const { name } of earlier.filter(({ name }) => listed.some((one) => one.name === name)))
    expect(filesOf(disk, name), where).toEqual(filesOf(base, name))
  for (const backup of [made, ...listed.filter(({ at }) => at.getUTCMinutes() < 3)]) {
    if (!backup) continue
    const { file, ...source } = await sourceOf(dataDir, backup, disk.files)
    const { missingBlobs } = await checkBackup(dataDir, file, { ...source, files: disk.files })
    expect(missingBlobs, where).toEqual([])
  }
}

test.each(faults)(
  '%s: the backups are whole, and the next one leaves nothing else',
  { timeout: 120_000 },
  async (fault) => {
    const verified = new Set<string>()
    const made = new Set<boolean>()
    for (const [index, operation] of operations.entries()) {
      if (!isPossible(fault, operation)) continue
      const disk = base.clone()
      disk.failAt(index + 1, fault)
      const isMade = await make(disk, 9).then(
        () => true,
        () => false,
      )
      if (isMade && !disk.off) disk.cutPower()
      disk.restart()
      const state = `${isMade} ${disk.fingerprint()}`
      if (verified.has(state)) continue
      verified.add(state)
      made.add(isMade)
      await expectWhole(disk, isMade, `operation ${index + 1}`)
      await make(disk, 10)
      await removeLeftovers(disk.files, dataDir)
      const where = `after operation ${index + 1}`
      expect((await list(disk)).length, where).toBe(8)
      expect(kept(disk), where).toEqual([one, three].toSorted())
      expect(disk.names('/data/backups'), where).toEqual(['pds-replica'])
      expect((await disk.files.list('/data/backups/bases')).length, where).toBe(8)
    }
    expect(verified.size).toBeGreaterThan(5)
  },
)
