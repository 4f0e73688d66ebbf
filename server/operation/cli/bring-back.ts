/** Restores a backup, or from a place. */
import { handlesIn, newestRecord } from '../../store/backups/salvage.ts'
import type { Reader } from '../../store/pages/reader.ts'
import { iso } from '../../util/time.ts'
import { systemTime } from '../../util/timers.ts'
import { type Backup, listBackups } from '../replicas/local/list.ts'
import { readPoints } from '../replicas/restore-points.ts'
import type { Target } from '../replicas/send.ts'
import type { Chain } from '../replicas/ways/ways.ts'
import { describeKey, type RestoreInvocation, withSource } from './source.ts'
import { ask } from './terminal.ts'

/** @param backup the one to restore; undefined with `--from` @throws Error with a sentence for people */
export function runBringBack(invocation: RestoreInvocation, backup?: Backup): Promise<string> {
  const { dataDir, flags } = invocation
  const { at } = flags
  const until = at === undefined ? undefined : new Date(at)
  if (until && Number.isNaN(until.getTime())) throw new Error(`${at} is no time such as 2026-05-01T12:00Z.`)
  return withSource(invocation, async ({ target, bringBack }) => {
    const describeOthers = await readOthers(dataDir, target, backup)
    const result = await bringBack({
      ...{ dataDir, at: until, base: backup?.name, now: systemTime },
      onOpened: (sqlite, chain) =>
        process.stdout.write(
          `To restore: the server as of ${iso(chain.at)}.${describeOwners(sqlite)}\n${describeOthers(chain)}\n`,
        ),
      confirmLoss: (loss) => confirmLoss(loss, flags['accept-loss']),
    })
    const lines = [
      `Restored the ${backup ? 'backup' : 'copy'} of ${iso(result.at)}.`,
      ...(await describeKey(
        dataDir,
        (path) => `The key of the copy replaces another one, which is kept in "earlierKeys" of ${path}.`,
      )),
    ]
    if (result.missing.length > 0)
      lines.push(`${describeLostMedia(result.missing.length)} Missing media are listed for their accounts.`)
    return [...lines, ...describeReplacement(result.replaced)].join(' ')
  })
}

/** Says how many media files are lost. */
export function describeLostMedia(count: number): string {
  return `It lacks ${count} media file${count === 1 ? '' : 's'}.`
}

/** Says where the replaced files are. */
export function describeReplacement(folder: string | undefined): string[] {
  return folder === undefined
    ? []
    : [`The replaced files are in ${folder}. The server deletes them after 30 days.`]
}

/** Says whose data these are, and until when they reach. */
export function describeOwners(sqlite: Reader): string {
  const changed = newestRecord(sqlite)
  const until = changed ? ` The last change is of ${iso(changed)}.` : ''
  return ` It has ${describeHandles(sqlite)}.${until}`
}

/** Names the first accounts. */
export function describeHandles(sqlite: Reader): string {
  const shown = 5
  const rows = handlesIn(sqlite)
  const handles = rows.slice(0, shown)
  if (rows.length > shown) handles.push(`${rows.length - shown} more`)
  return rows.length === 0 ? 'no accounts' : handles.join(', ')
}

/** Returns a function that describes the other restore points beside a state. */
async function readOthers(dataDir: string, target: Target, backup: Backup | undefined) {
  if (backup) {
    const { length } = await listBackups(dataDir)
    return () => describeCount(length)
  }
  const { points, newest, ends } = await readPoints(target)
  return ({ at }: Chain) => {
    const isOther = (time: Date) => time.getTime() !== at.getTime()
    const later = newest && isOther(newest) ? ` The newest is of ${iso(newest)}.` : ''
    return `${describeCount(points.length)}${later}${describeEnds(ends.filter(isOther))}`
  }
}

function describeCount(count: number): string {
  return `Other restore points: ${Math.max(0, count - 1)}. --list shows them.`
}

/** Names the states before a restore or a take-over: the person may look for one of them. */
function describeEnds(ends: readonly Date[]): string {
  if (ends.length === 0) return ''
  const shown = 3
  const more = ends.length > shown ? ', …' : ''
  return ` Among them the last states before a restore, or of another computer: ${ends.slice(0, shown).map(iso).join(', ')}${more}.`
}

/** Prints a loss, and asks whether to go on. */
export async function confirmLoss(loss: string, isAccepted = false): Promise<boolean> {
  process.stdout.write(`${loss}\n`)
  return isAccepted || ask('Restore it without them? [y/N] ', '--accept-loss')
}
