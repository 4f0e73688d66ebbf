/** The page's calls on backups: by file name, with errors as sentences, and with files that the person chooses. */
import { basename, join } from 'node:path'
import type { DidString } from '@atproto/syntax'
import type { FileFilter } from 'electron'
import { bringBack } from '../server/operation/replicas/bring-back.ts'
import { makeBackup } from '../server/operation/replicas/local/backups.ts'
import * as stored from '../server/operation/replicas/local/list.ts'
import type { BackupProof as StoredProof } from '../server/operation/replicas/local/proof.ts'
import { createBackupProofs } from '../server/operation/replicas/local/proofs.ts'
import { backupFolder, localTarget } from '../server/operation/replicas/local/target.ts'
import { readEnd } from '../server/operation/replicas/receive.ts'
import { type BackupContent, isProtected } from '../server/platform/store/backups/backup-content.ts'
import { exportBackup as writeOneFile } from '../server/platform/store/backups/copy-data.ts'
import { runInWorker } from '../server/platform/store/backups/tasks.ts'
import { blobsName } from '../server/platform/store/layout.ts'
import { deleteReplaced, listReplaced } from '../server/platform/store/replaced.ts'
import { schema } from '../server/platform/store/schema.ts'
import { saveRepo } from '../server/repository/records/export.ts'
import type { Backup, BackupProof, DesktopCalls } from './bridge.ts'
import { chooseDestination, chooseFile } from './file-dialogs.ts'
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

const backupFiles: FileFilter = { name: t.dialogs.backupFiles, extensions: ['age', 'gz', 'zst', 'sqlite'] }
const repositoryFiles: FileFilter = { name: t.dialogs.repositoryFiles, extensions: ['car'] }

export function setupBackups({ dataDir, server, window, log, now = () => new Date() }: BackupsDeps): Backups {
  const parts = { dataDir, server, window, now }
  /** The file of `backups.choose`. */
  let chosen: string | undefined
  const chosenFile = (): string => {
    if (chosen === undefined) throw new Error('Choose a file first.')
    return chosen
  }
  const ownProofs = createBackupProofs({ dataDir, now })
  /** Throws when a backup cannot be restored. */
  const prove = async (backup: stored.Backup) => {
    const proof = await (server.services?.operation.backupProofs ?? ownProofs).prove(backup)
    if (proof.problem !== undefined) throw new Error(t.notRestorable(proof.problem))
    return proof
  }
  const outcome = <T>(channel: Name, work: () => Promise<T>) => outcomeOf(log, channel, work)

  return {
    'backups.list': async () => (await stored.listBackups(dataDir)).map(toBackup),
    'backups.make': () =>
      outcome('backups.make', async () => {
        const made = await makeBackup({ dataDir, now, store: server.services?.store })
        return toBackup({ ...made, proof: await prove(made) })
      }),
    'backups.check': (name) =>
      outcome('backups.check', async () => {
        await prove(await find(dataDir, name))
        return undefined
      }),
    'backups.preview': (name) =>
      outcome('backups.preview', async () => toPlain(await describeOwn(dataDir, await find(dataDir, name)))),
    'backups.restore': (name) =>
      outcome('backups.restore', async () => restoreBackup(parts, await find(dataDir, name))),
    'backups.replaced': async () => toPlain(await listReplaced(dataDir)),
    'backups.forget': (name) =>
      outcome('backups.forget', async () => {
        if (!(await deleteReplaced(dataDir, name))) throw new Error(`The folder ${name} no longer exists.`)
        log.info({ folder: name }, 'replaced data deleted')
        return undefined
      }),
    'backups.export': (passphrase) => outcome('backups.export', () => exportBackup(parts, passphrase)),
    'backups.choose': () =>
      outcome('backups.choose', async () => {
        const file = await chooseFile(window.browserWindow, t.dialogs.chooseBackup, backupFiles)
        if (file === undefined) return undefined
        const encrypted = await isProtected(file)
        chosen = file
        return { file, encrypted }
      }),
    'backups.previewChosen': (passphrase) =>
      outcome('backups.previewChosen', async () =>
        toPlain(await describe(dataDir, chosenFile(), passphrase)),
      ),
    'backups.import': (passphrase) =>
      outcome('backups.import', async () => restoreFrom(parts, chosenFile(), passphrase)),
    'repository.export': (did) =>
      outcome('repository.export', () => exportRepository(parts, did as DidString)),
  }
}

type WorkDeps = Required<Omit<BackupsDeps, 'log'>>

/** @returns the folder that keeps the previous data, empty if there was none */
async function restoreFrom(parts: WorkDeps, file: string, passphrase?: string): Promise<string> {
  const { dataDir, server, now } = parts
  // Checked before the server is stopped.
  await describe(dataDir, file, passphrase)
  return server.whileStopped(async () => {
    const folder = await runInWorker({ kind: 'restore', dir: dataDir, file, passphrase, schema, at: now() })
    return folder ?? ''
  })
}

/** Checks a backup, and counts its content. In a worker: SQLite's integrity check takes seconds, while this thread serves requests. */
function describe(dir: string, file: string, passphrase?: string): Promise<BackupContent> {
  return runInWorker({ kind: 'describe', dir, file, options: { passphrase, schema } })
}

async function describeOwn(
  dir: string,
  { name, parts: [part = ''], at }: stored.Backup,
): Promise<BackupContent> {
  const target = localTarget(dir)
  const { sha256 } = await readEnd(target, name)
  const blobFolders = [join(backupFolder(dir), blobsName)]
  const file = join(backupFolder(dir), part)
  const content = await runInWorker({ kind: 'describe', dir, file, options: { schema, sha256, blobFolders } })
  return { ...content, createdAt: at }
}

/** Asks for a location, and saves a one-file backup there. @returns its path, undefined when cancelled */
async function exportBackup(parts: WorkDeps, passphrase?: string): Promise<string | undefined> {
  const { dataDir, server, window, now } = parts
  const day = now().toISOString().slice(0, 10)
  const name = `desktop-pds-${day}.tar.gz${passphrase === undefined ? '' : '.age'}`
  const file = await chooseDestination(window.browserWindow, t.dialogs.saveBackup, name, backupFiles)
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

/** Only listed names are accepted, so that no name leads out of the folder. */
async function find(dataDir: string, name: string): Promise<stored.Backup> {
  const backup = (await stored.listBackups(dataDir)).find((each) => basename(each.name) === name)
  if (!backup) throw new Error(`The backup ${name} no longer exists.`)
  return backup
}

/** @returns the folder that keeps the previous data, empty if there was none */
async function restoreBackup({ dataDir, server, now }: WorkDeps, { name }: stored.Backup): Promise<string> {
  return server.whileStopped(async () => {
    const target = localTarget(dataDir)
    const { replaced = '' } = await bringBack({ target, dataDir, base: name, now })
    return replaced
  })
}

function toBackup({ name, isPartial, at, bytes, proof }: stored.Backup): Backup {
  const backup = { name: basename(name), isPartial, createdAt: at.toISOString(), bytes }
  return proof ? { ...backup, proof: toProof(proof) } : backup
}

function toProof({ provenAt, problem, missing }: StoredProof): BackupProof {
  return {
    ...(provenAt && { provenAt: provenAt.toISOString() }),
    ...(problem !== undefined && { problem }),
    ...(missing && { missingMedia: missing.count }),
  }
}
