/** Proves that backups can be restored: each is checked after it was made, and the newest one again every week. */
import { join } from 'node:path'
import { scratchPrefix } from '../../../store/backups/read-backup.ts'
import { exists } from '../../../store/files/blob-files.ts'
import { hasSpace } from '../../../store/files/disk-space.ts'
import { nodeFiles, sizeIfThere } from '../../../store/files/files.ts'
import { blobsName, databaseName } from '../../../store/files/layout.ts'
import { StoreUnavailable } from '../../../store/files/store-errors.ts'
import { temporaryName } from '../../../util/random.ts'
import { createSerializer } from '../../../util/serialize.ts'
import type { CheckJob, CheckResult } from '../check-restore.ts'
import { type JobDeps, runFileJob } from '../file-jobs.ts'
import { ifUndamaged } from '../places/place.ts'
import { readEnd } from '../receive.ts'
import { weekMs } from '../replica-retention.ts'
import { type Backup, listBackups, withoutFuture } from './list.ts'
import { type BackupProof, writeProof } from './proof.ts'
import { backupFolder, localTarget } from './target.ts'

export interface BackupProofs {
  /** Checks a backup, and records the result in its folder. Throws when the check cannot run. */
  prove(backup: Backup): Promise<BackupProof>
  /** Checks backups whose last check is too old. Returns the ones that cannot be restored. */
  proveDue(): Promise<(Backup & { readonly problem: string })[]>
}

interface Deps extends JobDeps {
  readonly dataDir: string
  readonly now: () => Date
  /** Repairs damaged media, of the server and in the backups, or marks them. Returns whether a copy was repaired. */
  readonly repairMedia?: (cids: readonly string[]) => Promise<boolean>
}

export function createBackupProofs(deps: Deps): BackupProofs {
  const { dataDir, now, files = nodeFiles, repairMedia, signal } = deps
  const folder = backupFolder(dataDir)
  const target = localTarget(dataDir, files)
  /** One at a time: each takes the disk space of a second server. */
  const serialize = createSerializer()

  async function check({ name, seq, parts: [part = ''] }: Backup, at: Date): Promise<CheckResult> {
    signal?.throwIfAborted()
    // A disk that the check fills would stop the server. The restored database is about as large as that of the server.
    if (!(await hasSpace(files, folder, (await sizeIfThere(files, join(dataDir, databaseName))) ?? 0))) {
      throw new StoreUnavailable(
        'The disk has too little free space to test a backup. Free disk space, then try again.',
      )
    }
    const scratch = join(folder, `${scratchPrefix}${temporaryName(6)}`)
    const end = await ifUndamaged(() => readEnd(target, name))
    if (!end) return { problem: 'Its checksum is damaged.', missing: undefined, suspects: [] }
    const blobFolders = [join(folder, blobsName)]
    const media = repairMedia && join(dataDir, blobsName)
    const file = join(folder, part)
    const job: CheckJob = {
      ...{ file, sha256: end.sha256, seq, blobFolders, scratch, at },
      ...(media && { media }),
    }
    try {
      return await runFileJob(deps, { kind: 'check', ...job })
    } finally {
      await files.removeDir(scratch)
    }
  }

  async function prove(backup: Backup): Promise<BackupProof> {
    if (backup.isPartial && backup.proof) return backup.proof
    const path = join(folder, backup.name)
    const checkedAt = now()
    let result = await check(backup, checkedAt)
    const { suspects } = result
    const isRepaired = suspects.length > 0 && (await repairMedia?.(suspects))
    if (isRepaired) result = await check(backup, checkedAt)
    if (!(await exists(files, path))) throw new Error(`The backup ${path} was removed while it was checked.`)
    const { problem, missing } = result
    const isActedOn = repairMedia !== undefined && hasFaults({ problem, missing })
    return writeProof(files, path, { checkedAt, problem, missing, isActedOn })
  }

  return {
    prove: (backup) => serialize(() => prove(backup)),
    async proveDue() {
      const backups = await listBackups(dataDir, files)
      // A check from the future was made while the clock was wrong.
      const isOld = (at: Date) => at > now() || now().getTime() - at.getTime() >= weekMs
      const [newest] = withoutFuture(backups, now())
      const isDue = (backup: Backup) => {
        const { isPartial, proof } = backup
        if (proof === undefined || (backup === newest && isOld(proof.checkedAt))) return true
        // `npm run backup` has found them beside this server.
        return repairMedia !== undefined && !isPartial && hasFaults(proof) && !proof.isActedOn
      }
      const damaged = []
      for (const backup of backups.filter(isDue)) {
        if (signal?.aborted) break
        const { problem } = await serialize(() => prove(backup))
        if (problem !== undefined) damaged.push({ ...backup, problem })
      }
      return damaged
    },
  }
}

function hasFaults({ problem, missing }: Pick<BackupProof, 'problem' | 'missing'>): boolean {
  return problem !== undefined || missing !== undefined
}
