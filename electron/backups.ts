/** Backups as the page sees them: by name, with sentences in the place of errors, and files chosen in the system's dialogs. */
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
  /** The dialogs belong to it. */
  readonly window: () => BrowserWindow | undefined
  readonly log: Logger
  readonly now?: () => Date
}

const backupFiles: FileFilter = { name: t.dialogs.backupFiles, extensions: ['pdsbackup', 'sqlite'] }
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

  const bring = async (file: string, passphrase?: string): Promise<string> => {
    // Found out before the server is stopped for it.
    await stored.checkBackup(file, {
      migrations: migrations.length,
      ...(passphrase !== undefined && { passphrase }),
    })
    return server.whileStopped(async () => {
      const options = { directory: dataDir, file, migrations: migrations.length, now }
      return (await restore({ ...options, ...(passphrase !== undefined && { passphrase }) })) ?? ''
    })
  }
  const theChosen = (): string => {
    if (chosen === undefined) throw new Error('Choose a file first.')
    return chosen
  }

  return {
    'backups.list': async () => (await stored.listBackups(dataDir)).map(asShown),
    'backups.make': () =>
      outcome('backups.make', async () =>
        asShown(await (server.services?.store.backup() ?? stored.backup(dataDir, now()))),
      ),
    'backups.check': (name) =>
      outcome('backups.check', async () => {
        await stored.checkBackup(await pathOf(dataDir, name), { migrations: migrations.length })
        return undefined
      }),
    'backups.preview': (name) =>
      outcome('backups.preview', async () =>
        asContent(await describeBackup(await pathOf(dataDir, name), migrations)),
      ),
    'backups.restore': (name) => outcome('backups.restore', async () => bring(await pathOf(dataDir, name))),
    'backups.export': (passphrase) =>
      outcome('backups.export', async () => {
        const day = now().toISOString().slice(0, 10)
        const file = await askWhere(
          window(),
          t.dialogs.saveBackup,
          `desktop-pds-${day}.pdsbackup`,
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
        const file = await askWhich(window(), t.dialogs.chooseBackup, backupFiles)
        if (file === undefined) return undefined
        const encrypted = await isProtected(file)
        chosen = file
        return { file, encrypted }
      }),
    'backups.previewChosen': (passphrase) =>
      outcome('backups.previewChosen', async () =>
        asContent(await describeBackup(theChosen(), migrations, passphrase)),
      ),
    'backups.import': (passphrase) => outcome('backups.import', () => bring(theChosen(), passphrase)),
    'repository.export': (did) =>
      outcome('repository.export', async () => {
        const { services } = server
        if (!services) throw new Error('Start the server first.')
        const file = await askWhere(
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

/** Only of a backup that is listed, so that no name leads out of the folder. */
async function pathOf(dataDir: string, name: string): Promise<string> {
  const backups = await stored.listBackups(dataDir)
  if (!backups.some(({ file }) => basename(file) === name))
    throw new Error(`There is no backup ${name} any more.`)
  return join(dataDir, backupsName, name)
}

function asShown({ file, createdAt, bytes }: stored.BackupInfo): Backup {
  return { name: basename(file), createdAt: createdAt.toISOString(), bytes }
}

function asContent({ createdAt, ...content }: Awaited<ReturnType<typeof describeBackup>>): BackupContent {
  return { ...content, createdAt: createdAt.toISOString() }
}

async function askWhere(
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

async function askWhich(
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
