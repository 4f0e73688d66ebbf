/** The page's calls on backups: by file name, with errors as sentences, and with files chosen in the system's dialogs. */
import { basename, join } from 'node:path'
import type { DidString } from '@atproto/syntax'
import { type BrowserWindow, dialog, type FileFilter } from 'electron'
import { saveRepo } from '../server/records/export.ts'
import * as stored from '../server/store/backup.ts'
import { describeBackup, isProtected } from '../server/store/backup-content.ts'
import { backupsName } from '../server/store/layout.ts'
import { migrations } from '../server/store/migrations.ts'
import { restore } from '../server/store/restore.ts'
import type { Logger } from '../server/util/log.ts'
import type { Backup, BackupContent, DesktopCalls } from './bridge.ts'
import { outcomeOf } from './outcome.ts'
import type { EmbeddedServer } from './server.ts'
import { t } from './strings.ts'

type Name = Extract<keyof DesktopCalls, `backups.${string}` | 'repository.export'>
export type Backups = {
  readonly [N in Name]: (...args: Parameters<DesktopCalls[N]>) => Promise<ReturnType<DesktopCalls[N]>>
}

export interface BackupsOptions {
  readonly dataDir: string
  readonly server: EmbeddedServer
  /** Parent of the dialogs. */
  readonly window: () => BrowserWindow | undefined
  readonly log: Logger
  readonly now?: () => Date
}

const backupFiles: FileFilter = { name: t.dialogs.backupFiles, extensions: ['age', 'gz', 'sqlite'] }
const repositoryFiles: FileFilter = { name: t.dialogs.repositoryFiles, extensions: ['car'] }

export function createBackups({
  dataDir,
  server,
  window,
  log,
  now = () => new Date(),
}: BackupsOptions): Backups {
  /** The file of `backups.choose`. */
  let chosen: string | undefined
  const outcome = <T>(channel: Name, work: () => Promise<T>) => outcomeOf(log, channel, work)

  const restoreFrom = async (file: string, passphrase?: string): Promise<string> => {
    // Checked before the server is stopped.
    await stored.checkBackup(file, {
      migrations: migrations.length,
      ...(passphrase !== undefined && { passphrase }),
    })
    return server.whileStopped(async () => {
      const options = { directory: dataDir, file, migrations: migrations.length, now }
      return (await restore({ ...options, ...(passphrase !== undefined && { passphrase }) })) ?? ''
    })
  }
  const chosenFile = (): string => {
    if (chosen === undefined) throw new Error('Choose a file first.')
    return chosen
  }

  return {
    'backups.list': async () => (await stored.listBackups(dataDir)).map(toBackup),
    'backups.make': () =>
      outcome('backups.make', async () =>
        toBackup(await (server.services?.store.backup() ?? stored.backup(dataDir, now()))),
      ),
    'backups.check': (name) =>
      outcome('backups.check', async () => {
        await stored.checkBackup(await pathOf(dataDir, name), { migrations: migrations.length })
        return undefined
      }),
    'backups.preview': (name) =>
      outcome('backups.preview', async () =>
        toContent(await describeBackup(await pathOf(dataDir, name), migrations)),
      ),
    'backups.restore': (name) =>
      outcome('backups.restore', async () => restoreFrom(await pathOf(dataDir, name))),
    'backups.export': (passphrase) =>
      outcome('backups.export', async () => {
        const day = now().toISOString().slice(0, 10)
        const file = await chooseDestination(
          window(),
          t.dialogs.saveBackup,
          `desktop-pds-${day}.sqlite.gz${passphrase === undefined ? '' : '.age'}`,
          backupFiles,
        )
        if (file === undefined) return undefined
        const store = server.services?.store
        if (store) await store.export(file, passphrase)
        else
          await stored.exportBackup(dataDir, file, {
            createdAt: now(),
            ...(passphrase !== undefined && { passphrase }),
          })
        return file
      }),
    'backups.choose': () =>
      outcome('backups.choose', async () => {
        const file = await chooseFile(window(), t.dialogs.chooseBackup, backupFiles)
        if (file === undefined) return undefined
        const encrypted = await isProtected(file)
        chosen = file
        return { file, encrypted }
      }),
    'backups.previewChosen': (passphrase) =>
      outcome('backups.previewChosen', async () =>
        toContent(await describeBackup(chosenFile(), migrations, passphrase)),
      ),
    'backups.import': (passphrase) => outcome('backups.import', () => restoreFrom(chosenFile(), passphrase)),
    'repository.export': (did) =>
      outcome('repository.export', async () => {
        const { services } = server
        if (!services) throw new Error('Start the server first.')
        const file = await chooseDestination(
          window(),
          t.dialogs.saveRepository,
          `${did.replaceAll(':', '-')}.car`,
          repositoryFiles,
        )
        if (file === undefined) return undefined
        if (!(await saveRepo(services, did as DidString, file)))
          throw new Error('This account has no repository here.')
        return file
      }),
  }
}

/** The path of a backup. Only listed names are accepted, so that no name leads out of the folder. */
async function pathOf(dataDir: string, name: string): Promise<string> {
  const backups = await stored.listBackups(dataDir)
  if (!backups.some(({ file }) => basename(file) === name))
    throw new Error(`The backup ${name} no longer exists.`)
  return join(dataDir, backupsName, name)
}

function toBackup({ file, createdAt, bytes }: stored.BackupInfo): Backup {
  return { name: basename(file), createdAt: createdAt.toISOString(), bytes }
}

function toContent({ createdAt, ...content }: Awaited<ReturnType<typeof describeBackup>>): BackupContent {
  return { ...content, createdAt: createdAt.toISOString() }
}

async function chooseDestination(
  window: BrowserWindow | undefined,
  title: string,
  name: string,
  filter: FileFilter,
): Promise<string | undefined> {
  const options = { title, defaultPath: name, filters: [filter] }
  const { canceled, filePath } = await (window
    ? dialog.showSaveDialog(window, options)
    : dialog.showSaveDialog(options))
  return canceled || filePath === '' ? undefined : filePath
}

async function chooseFile(
  window: BrowserWindow | undefined,
  title: string,
  filter: FileFilter,
): Promise<string | undefined> {
  const options = { title, filters: [filter], properties: ['openFile' as const] }
  const { canceled, filePaths } = await (window
    ? dialog.showOpenDialog(window, options)
    : dialog.showOpenDialog(options))
  return canceled ? undefined : filePaths[0]
}
