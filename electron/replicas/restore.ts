/** The page's calls to restore the server, to put replaced data back, and to open the intact part of damaged data. */
import { join } from 'node:path'
import type { FileFilter } from 'electron'
import type { CredentialsKeeper } from '../../server/operation/replicas/credentials.ts'
import { removeFetched } from '../../server/operation/replicas/fetch-ahead.ts'
import { listBackups } from '../../server/operation/replicas/local/list.ts'
import { problemsOf } from '../../server/operation/replicas/places/describe.ts'
import { backupPages } from '../../server/operation/replicas/replica-pages.ts'
import {
  type Origin,
  type OriginDeps,
  ofBackups,
  ofFile,
} from '../../server/operation/replicas/restores/origins.ts'
import {
  ofPlace,
  pagesOfPlace,
  pointsOfPlace,
} from '../../server/operation/replicas/restores/place-origin.ts'
import { sentenceOf } from '../../server/operation/replicas/restores/sentence.ts'
import { schema } from '../../server/schema/schema.ts'
import { isProtected } from '../../server/store/backups/backup-content.ts'
import { listReplaced } from '../../server/store/backups/replaced.ts'
import { undoRestore } from '../../server/store/backups/restore.ts'
import { type SalvagePlan, salvage } from '../../server/store/backups/salvage.ts'
import type { Logger } from '../../server/util/log.ts'
import { createSerializer } from '../../server/util/serialize.ts'
import { args, oneOf, optional, text } from '../ground/arguments.ts'
import type { RestorePoint, RestoreSource, SalvagePreview } from '../ground/bridge.ts'
import type { Bus } from '../ground/bus.ts'
import { type CallsOf, call, outcome } from '../ground/calls.ts'
import { toPlain } from '../ground/plain.ts'
import { t } from '../ground/strings.ts'
import type { EmbeddedServer } from '../server/server.ts'
import type { SettingsFile } from '../settings/settings-file.ts'
import { chooseFile } from '../system/dialogs.ts'
import type { MainWindow } from '../window/window.ts'
import { toPoint } from './backups.ts'
import { isRestoreSource } from './restore-sources.ts'

export interface RestoresDeps {
  readonly dataDir: string
  readonly file: SettingsFile
  readonly copiesKeeper: CredentialsKeeper
  readonly server: EmbeddedServer
  readonly window: MainWindow
  readonly bus: Bus
  readonly log: Logger
}

const backupFiles: FileFilter = { name: t.dialogs.backupFiles, extensions: ['age', 'gz', 'zst', 'sqlite'] }

export function setupRestores(deps: RestoresDeps): CallsOf<'restore' | 'salvage'> {
  const { dataDir, server, window, log } = deps
  const now = () => new Date()
  /** One at a time: they share the folder of fetched files. */
  const serialize = createSerializer()
  const origins = originDeps(deps)
  let chosen: string | undefined
  let opening = new AbortController()

  function originOf(source: RestoreSource): Origin {
    if (source.from === 'backups') return ofBackups(origins)
    if (source.from !== 'file') return ofPlace(origins, source)
    if (chosen === undefined) throw new Error(t.restore.noFile)
    return ofFile(origins, chosen, source.passphrase)
  }

  /** Newest first. A file has one state. */
  async function pointsOf(source: RestoreSource): Promise<readonly RestorePoint[]> {
    if (source.from === 'backups') return (await listBackups(dataDir)).map(toPoint)
    if (source.from === 'file') return []
    return (await pointsOfPlace(origins, source)).map((at) => ({ at: at.toISOString() }))
  }

  /** Ends the current preview, and returns the signal for the next one. */
  function renew(): AbortSignal {
    opening.abort(new Error(t.restore.cancelled))
    opening = new AbortController()
    return opening.signal
  }

  /** Takes damaged pages from the backups, then from places. @param confirm is given why places could not be read */
  async function salvageIf(
    signal: AbortSignal,
    confirm: (plan: SalvagePlan, unread: readonly string[]) => boolean,
  ) {
    signal.throwIfAborted()
    const unread = new Set<string>()
    const places = origins.places().map((url) =>
      pagesOfPlace(origins, url, signal, (error) => {
        log.warn({ err: error, url }, 'place not read for a salvage')
        unread.add(sentenceOf(error))
      }),
    )
    try {
      return await salvage({
        ...{ directory: dataDir, schema, now, sources: [backupPages(dataDir), ...places] },
        async confirm(plan) {
          signal.throwIfAborted()
          return confirm(plan, [...unread])
        },
      })
    } catch (error) {
      throw unread.size === 0 ? error : new Error([sentenceOf(error), ...unread].join(' '))
    }
  }

  const time = optional(text(100))
  return {
    'restore.points': call(args(isRestoreSource), async (source) => {
      try {
        return { problems: {}, points: await pointsOf(source) }
      } catch (error) {
        const place = source.from === 'otherPlace' ? source.place : undefined
        return { problems: problemsOf(error, place), points: [] }
      }
    }),
    'restore.cancel': call(args(), () => {
      renew()
      return serialize(() => removeFetched(dataDir))
    }),
    'restore.chooseFile': outcome(args(), async () => {
      const file = await chooseFile(window.browserWindow, t.dialogs.chooseBackup, backupFiles)
      if (file === undefined) return undefined
      const encrypted = await isProtected(file)
      chosen = file
      return { file, encrypted }
    }),
    'restore.preview': outcome(args(isRestoreSource, time), (source, at) => {
      const signal = renew()
      return serialize(() => originOf(source).preview(at, signal))
    }),
    'restore.run': outcome(args(isRestoreSource, time, optional(text(4000))), (source, at, loss) =>
      serialize(async () => {
        const restored = await originOf(source).restore(at, loss)
        log.info({ from: source.from, at: restored.at, missing: restored.missingMedia }, 'server restored')
        return restored
      }),
    ),
    'restore.undo': outcome(args(text(200)), (name) => serialize(() => undo(deps, name))),
    'salvage.preview': outcome(args(), async () => {
      const signal = renew()
      let preview: SalvagePreview | undefined
      await serialize(() =>
        server.whileExamined(() =>
          salvageIf(signal, (plan, unread) => {
            preview = { ...toPlain(plan), unread }
            return false
          }),
        ),
      )
      if (!preview) throw new Error(t.nothingToOpen)
      return preview
    }),
    'salvage.run': outcome(args(oneOf('database', 'changed', 'backup')), (from) => {
      if (server.services) throw new Error(t.stillRuns)
      const signal = renew()
      return serialize(() =>
        server.whileStopped(async () => {
          const result = await salvageIf(signal, (plan) => plan.from === from)
          if (!result) throw new Error(t.dataChanged)
          const { keptTransactions: kept, lostTransactions: lost, damaged } = result.plan
          log.warn({ from, kept, lost, damaged, keptIn: result.keptIn }, 'damaged data opened')
          return result.keptIn
        }),
      )
    }),
  }
}

function originDeps({ dataDir, file, copiesKeeper: keeper, server, window, bus }: RestoresDeps): OriginDeps {
  const added = () => file.get('copies')
  return {
    ...{ dataDir, keeper, whileStopped: server.whileStopped },
    places: () => server.services?.operation.copies.status().map(({ url }) => url) ?? added(),
    async addPlace(url) {
      file.set('copies', [...added().filter((one) => one !== url), url])
      bus.emit('settings')
    },
    onProgress: (progress) => window.send('restoreProgress', progress),
  }
}

/** Puts replaced data back. Only listed names are accepted, so that no name leads out of the data folder. */
async function undo({ dataDir, server, log }: RestoresDeps, name: string): Promise<string> {
  if (!(await listReplaced(dataDir)).some((folder) => folder.name === name))
    throw new Error(t.restore.noFolder(name))
  return server.whileStopped(async () => {
    const replaced = await undoRestore({ directory: dataDir, now: () => new Date() }, join(dataDir, name))
    log.info({ folder: name, replaced }, 'replaced data put back')
    return replaced
  })
}
