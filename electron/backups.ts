/** The page's calls on backups: by the time of each, with errors as sentences, and exports to files that the person chooses. */
import { join } from 'node:path'
import type { DidString } from '@atproto/syntax'
import type { FileFilter } from 'electron'
import { makeBackup } from '../server/operation/replicas/local/backups.ts'
import * as stored from '../server/operation/replicas/local/list.ts'
import type { BackupProof as StoredProof } from '../server/operation/replicas/local/proof.ts'
import { createBackupProofs } from '../server/operation/replicas/local/proofs.ts'
import { backupFolder, localTarget } from '../server/operation/replicas/local/target.ts'
import { readEnd } from '../server/operation/replicas/receive.ts'
import type { BackupContent } from '../server/platform/store/backups/backup-content.ts'
import { exportBackup as writeOneFile } from '../server/platform/store/backups/copy-data.ts'
import { runInWorker } from '../server/platform/store/backups/tasks.ts'
import { blobsName } from '../server/platform/store/layout.ts'
import { deleteReplaced, listReplaced } from '../server/platform/store/replaced.ts'
import { schema } from '../server/platform/store/schema.ts'
import { saveRepo } from '../server/repository/records/export.ts'
import type { BackupProof, DesktopCalls, RestorePoint } from './bridge.ts'
import { chooseDestination } from './file-dialogs.ts'
import { outcomeOf } from './outcome.ts'
import type { Parts } from './parts.ts'
import { toPlain } from './plain.ts'
import { t } from './strings.ts'

type Name = Extract<keyof DesktopCalls, `backups.${string}` | 'repository.export'>
export type Backups = {
  readonly [N in Name]: (...args: Parameters<DesktopCalls[N]>) => Promise<ReturnType<DesktopCalls[N]>>
}

export interface BackupsDeps extends Pick<Parts, 'dataDir' | 'server' | 'window' | 'log'> {
  readonly now?: () => Date
}

const exportFiles: FileFilter = { name: t.dialogs.backupFiles, extensions: ['age', 'gz'] }
const repositoryFiles: FileFilter = { name: t.dialogs.repositoryFiles, extensions: ['car'] }

export function setupBackups({ dataDir, server, window, log, now = () => new Date() }: BackupsDeps): Backups {
  const parts = { dataDir, server, window, now }
  const ownProofs = createBackupProofs({ dataDir, now })
  const prove = (backup: stored.Backup) =>
    (server.services?.operation.backupProofs ?? ownProofs).prove(backup)
  const outcome = <T>(channel: Name, work: () => Promise<T>) => outcomeOf(log, channel, work)

  return {
    'backups.make': () =>
      outcome('backups.make', async () => {
        const made = await makeBackup({ dataDir, now, store: server.services?.store })
        const proof = await prove(made)
        if (proof.problem !== undefined) throw new Error(t.notRestorable(proof.problem))
        return toPoint({ ...made, proof })
      }),
    'backups.check': (at) =>
      outcome('backups.check', async () => {
        const backup = await findBackup(dataDir, at)
        return toPoint({ ...backup, proof: await prove(backup) })
      }),
    'backups.replaced': async () => toPlain(await listReplaced(dataDir)),
    'backups.forget': (name) =>
      outcome('backups.forget', async () => {
        if (!(await deleteReplaced(dataDir, name))) throw new Error(`The folder ${name} no longer exists.`)
        log.info({ folder: name }, 'replaced data deleted')
        return undefined
      }),
    'backups.export': (passphrase) => outcome('backups.export', () => exportBackup(parts, passphrase)),
    'repository.export': (did) =>
      outcome('repository.export', () => exportRepository(parts, did as DidString)),
  }
}

type WorkDeps = Required<Omit<BackupsDeps, 'log'>>

/** Checks a backup, and counts its content. In a worker: SQLite's integrity check takes seconds, while this thread serves requests. */
export async function describeOwn(
  dir: string,
  { name, parts: [part = ''] }: stored.Backup,
): Promise<BackupContent> {
  const target = localTarget(dir)
  const { sha256 } = await readEnd(target, name)
  const blobFolders = [join(backupFolder(dir), blobsName)]
  const file = join(backupFolder(dir), part)
  return runInWorker({ kind: 'describe', dir, file, options: { schema, sha256, blobFolders } })
}

/** Asks for a location, and saves a one-file backup there. @returns its path, undefined when cancelled */
async function exportBackup(parts: WorkDeps, passphrase?: string): Promise<string | undefined> {
  const { dataDir, server, window, now } = parts
  const day = now().toISOString().slice(0, 10)
  const name = `desktop-pds-${day}.tar.gz${passphrase === undefined ? '' : '.age'}`
  const file = await chooseDestination(window.browserWindow, t.dialogs.saveBackup, name, exportFiles)
  if (file === undefined) return undefined
  const store = server.services?.store
  if (store) await store.export(file, passphrase)
  else await writeOneFile(dataDir, file, { createdAt: now(), passphrase })
  return file
}

/** Asks for a location, and saves a repository there. @returns its path, undefined when cancelled */
async function exportRepository({ server, window }: WorkDeps, did: DidString): Promise<string | undefined> {
  const { services } = server
  if (!services) throw new Error('Start the server first.')
  const name = `${did.replaceAll(':', '-')}.car`
  const file = await chooseDestination(window.browserWindow, t.dialogs.saveRepository, name, repositoryFiles)
  if (file === undefined) return undefined
  if (!(await saveRepo(services.repository, did, file)))
    throw new Error('This account has no repository here.')
  return file
}

/** @throws Error with a sentence for people */
export async function findBackup(dataDir: string, time: string): Promise<stored.Backup> {
  const backup = (await stored.listBackups(dataDir)).find(({ at }) => at.toISOString() === time)
  if (!backup) throw new Error(t.restore.noBackup)
  return backup
}

export function toPoint({ isPartial, at, bytes, proof }: stored.Backup): RestorePoint {
  const point = { at: at.toISOString(), bytes, isPartial }
  return proof ? { ...point, proof: toProof(proof) } : point
}

function toProof({ provenAt, problem, missing }: StoredProof): BackupProof {
  return {
    ...(provenAt && { provenAt: provenAt.toISOString() }),
    ...(problem !== undefined && { problem }),
    ...(missing && { missingMedia: missing.count }),
  }
}
