/** Backups for the menu and for restores, and the page's calls on replaced data and on exports to files that the person chooses. */

import type { DidString } from '@atproto/syntax'
import type { FileFilter } from 'electron'
import { makeBackup } from '../../server/operation/replicas/local/backups.ts'
import type * as stored from '../../server/operation/replicas/local/list.ts'
import { createBackupProofs } from '../../server/operation/replicas/local/proofs.ts'
import { saveRepo } from '../../server/repository/records/export.ts'
import { exportBackup as writeOneFile } from '../../server/store/backups/copy-data.ts'
import { deleteReplaced, listReplaced } from '../../server/store/backups/replaced.ts'
import type { Logger } from '../../server/util/log.ts'
import { args, optional, text } from '../ground/arguments.ts'
import type { RestorePoint } from '../ground/bridge.ts'
import { type CallsOf, call, outcome } from '../ground/calls.ts'
import { toPlain } from '../ground/plain.ts'
import { t } from '../ground/strings.ts'
import type { EmbeddedServer } from '../server/server.ts'
import { chooseDestination } from '../system/dialogs.ts'
import type { MainWindow } from '../window/window.ts'

export interface BackupsDeps {
  readonly dataDir: string
  readonly server: EmbeddedServer
  readonly window: MainWindow
  readonly log: Logger
}

const exportFiles: FileFilter = { name: t.dialogs.backupFiles, extensions: ['age', 'gz'] }
const repositoryFiles: FileFilter = { name: t.dialogs.repositoryFiles, extensions: ['car'] }

export interface Backups {
  readonly calls: CallsOf<'backups' | 'repository'>
  /** Makes a backup, also while the server is stopped. @throws Error if it cannot be restored */
  make(): Promise<stored.Backup>
}

export function setupBackups({ dataDir, server, window, log }: BackupsDeps): Backups {
  const now = () => new Date()
  return {
    async make() {
      const operation = server.services?.operation
      const made = await (operation?.backups.make() ?? makeBackup({ dataDir, now }))
      const proofs = operation?.backupProofs ?? createBackupProofs({ dataDir, now })
      const proof = await proofs.prove(made)
      if (proof.problem !== undefined) throw new Error(t.notRestorable(proof.problem))
      return { ...made, proof }
    },
    calls: backupCalls({ dataDir, server, window, log }),
  }
}

function backupCalls({ dataDir, server, window, log }: BackupsDeps): Backups['calls'] {
  return {
    'backups.replaced': call(args(), async () => toPlain(await listReplaced(dataDir))),
    'backups.forget': outcome(args(text(200)), async (name) => {
      if (!(await deleteReplaced(dataDir, name))) throw new Error(t.restore.noFolder(name))
      log.info({ folder: name }, 'replaced data deleted')
    }),
    'backups.export': outcome(args(optional(text(1000))), async (passphrase) => {
      const createdAt = new Date()
      const day = createdAt.toISOString().slice(0, 10)
      const name = `desktop-pds-${day}.tar.gz${passphrase === undefined ? '' : '.age'}`
      const file = await chooseDestination(window.browserWindow, t.dialogs.saveBackup, name, exportFiles)
      if (file === undefined) return undefined
      const store = server.services?.store
      if (store) await store.export(file, passphrase)
      else await writeOneFile(dataDir, file, { createdAt, passphrase })
      return file
    }),
    'repository.export': outcome(args(text(500)), async (did) => {
      const { services } = server
      if (!services) throw new Error('Start the server first.')
      const name = `${did.replaceAll(':', '-')}.car`
      const title = t.dialogs.saveRepository
      const file = await chooseDestination(window.browserWindow, title, name, repositoryFiles)
      if (file === undefined) return undefined
      if (!(await saveRepo(services.repository, did as DidString, file)))
        throw new Error('This account has no repository here.')
      return file
    }),
  }
}

export function toPoint({ isPartial, at, bytes, proof }: stored.Backup): RestorePoint {
  const { provenAt, problem, missing } = proof ?? {}
  const result = proof && { proof: { provenAt, problem, missingMedia: missing?.count } }
  return toPlain({ at, bytes, isPartial, ...result })
}
