/** Random damages of the files of backups: no restore loses something in silence, and the next backup removes nothing for them. `DAMAGES=240` tries more. */
import { expect, test } from 'vitest'
import { bringBack } from '../../../../../server/operation/replicas/bring-back.ts'
import { makeBackup } from '../../../../../server/operation/replicas/local/backups.ts'
import { listBackups } from '../../../../../server/operation/replicas/local/list.ts'
import { localTarget } from '../../../../../server/operation/replicas/local/target.ts'
import { PlaceProblem } from '../../../../../server/operation/replicas/places/place.ts'
import { StoreDamaged } from '../../../../../server/store/files/store-errors.ts'
import { cidText } from '../../../../../server/util/cid.ts'
import { createRandom } from '../../../../support/replicas/random.ts'
import { FaultyDisk } from '../../../../support/store/faulty-disk.ts'
import { at, dataDir, kept, mediaOf, one, open, pool, setMedia, three, two } from './media.ts'

const { DAMAGES = '40', MODEL_SEED = '36' } = process.env
const kinds = ['flip', 'cut', 'delete', 'swap', 'older'] as const
const media = [[one], [one, two], [two, three], [three]]

/** A disk with a backup of each of these media, and the files of its backups. */
async function prepared() {
  const disk = new FaultyDisk()
  await disk.files.makeDir(dataDir)
  for (const [minute, cids] of media.entries()) {
    await setMedia(disk, cids)
    await makeBackup({ dataDir, now: () => at(minute), files: disk.files })
  }
  const folders = (await listBackups(dataDir, disk.files)).map(({ name }) => `/data/backups/${name}`)
  folders.push(...[one, two, three].map((cid) => `${pool}/${cid.slice(-2)}`), '/data/backups')
  const paths = [...new Set(folders)].flatMap((folder) =>
    disk.names(folder).map((name) => `${folder}/${name}`),
  )
  return { disk, paths }
}

/** What a restore of the backup of a minute comes to. */
async function outcome(disk: FaultyDisk, minute: number): Promise<string> {
  const { files } = disk
  const backup = (await listBackups(dataDir, files)).find(
    (each) => each.at.getTime() === at(minute).getTime(),
  )
  if (!backup) return 'not listed'
  let stated = 0
  try {
    await bringBack({
      ...{ target: localTarget(dataDir, files), dataDir, base: backup.name, now: () => at(9), files },
      async confirmLoss(loss) {
        stated += Number(/lacks (\d+)/.exec(loss)?.[1])
        return true
      },
    })
  } catch (error) {
    if (error instanceof PlaceProblem || error instanceof StoreDamaged) return 'refused'
    throw error
  }
  const db = await open(disk)
  const named = db.all<{ cid: Uint8Array }>('SELECT cid FROM blobs').map(({ cid }) => cidText(cid))
  await db.close()
  const intact = await mediaOf(disk)
  if (named.toSorted().join() !== media[minute]?.toSorted().join()) return 'silent: other data'
  if (intact.length + stated !== named.length) return 'silent: lost media'
  return stated === 0 ? 'complete' : 'states its loss'
}

test('whatever file of the backups is damaged, a restore is complete, or says that it is not', {
  timeout: 300_000,
}, async () => {
  const { disk: whole, paths } = await prepared()
  const random = createRandom(Number(MODEL_SEED))
  const results = new Map<string, number>()
  for (let left = Number(DAMAGES); left > 0; left--) {
    const disk = whole.clone()
    const [path, other] = [random.pick(paths), random.pick(paths)]
    const kind = random.pick(kinds)
    const bytes = Buffer.from(disk.content(path))
    if (kind === 'flip') {
      const flipped = Buffer.from(bytes)
      const index = random.below(bytes.length)
      flipped[index] = (flipped[index] ?? 0) ^ (1 << random.below(8))
      disk.put(path, flipped)
    }
    if (kind === 'cut') disk.put(path, bytes.subarray(0, random.below(bytes.length)))
    if (kind === 'delete') await disk.files.remove(path)
    if (kind === 'swap') {
      disk.put(path, Buffer.from(disk.content(other)))
      disk.put(other, bytes)
    }
    // The same file of another backup.
    const older = random.pick(paths.filter((each) => each.split('/').at(-1) === path.split('/').at(-1)))
    if (kind === 'older') disk.put(path, Buffer.from(whole.content(older)))
    const where = `${kind} ${path} ${kind === 'swap' ? other : kind === 'older' ? older : ''}`
    for (const minute of media.keys()) {
      const result = await outcome(disk.clone(), minute)
      expect(result, where).not.toContain('silent')
      results.set(result, (results.get(result) ?? 0) + 1)
    }
    const before = kept(disk)
    await makeBackup({ dataDir, now: () => at(8), files: disk.files })
    expect(kept(disk), where).toEqual(expect.arrayContaining(before))
  }
  // biome-ignore lint/suspicious/noConsole: the shares are the result.
  if (DAMAGES !== '40') console.log(results)
  expect(results.get('complete')).toBeGreaterThan(Number(DAMAGES) * 2)
})
