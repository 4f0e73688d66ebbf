/** The page's calls to restore the server: from backups of this computer, from a place, or from a file. */
import { basename, join } from 'node:path'
import type { FileFilter } from 'electron'
import { findChain } from '../server/operation/replicas/bring-back.ts'
import { type CredentialsKeeper, takeKeyBack } from '../server/operation/replicas/credentials.ts'
import { removeFetched } from '../server/operation/replicas/fetch-ahead.ts'
import { listBackups } from '../server/operation/replicas/local/list.ts'
import { readPoints } from '../server/operation/replicas/restore-points.ts'
import { isProtected } from '../server/platform/store/backups/backup-content.ts'
import { undoRestore } from '../server/platform/store/backups/restore.ts'
import { listReplaced } from '../server/platform/store/replaced.ts'
import { createSerializer } from '../server/platform/util/serialize.ts'
import { toPoint } from './backups.ts'
import type { DesktopCalls, FoundPoints, RestoreSource } from './bridge.ts'
import { chooseFile } from './file-dialogs.ts'
import { outcomeOf } from './outcome.ts'
import type { Parts } from './parts.ts'
import { type Origin, ofBackups, ofFile, ofPlace } from './restore-origins.ts'
import { problemsOf, readableOf, withTarget } from './restore-sources.ts'
import { t } from './strings.ts'

type Name = Extract<keyof DesktopCalls, `restore.${string}`>
export type Restores = {
  readonly [N in Name]: (...args: Parameters<DesktopCalls[N]>) => Promise<ReturnType<DesktopCalls[N]>>
}

export interface RestoresDeps extends Pick<Parts, 'dataDir' | 'file' | 'server' | 'window' | 'bus' | 'log'> {
  readonly copiesKeeper: CredentialsKeeper
}

const backupFiles: FileFilter = { name: t.dialogs.backupFiles, extensions: ['age', 'gz', 'zst', 'sqlite'] }

export function setupRestores(deps: RestoresDeps): Restores {
  const { dataDir, window, log } = deps
  const outcome = <T>(channel: Name, work: () => Promise<T>) => outcomeOf(log, channel, work)
  /** One at a time: they share the folder of what is fetched. */
  const serialize = createSerializer()
  let chosen: string | undefined
  let opening = new AbortController()

  function originOf(source: RestoreSource): Origin {
    if (source.from === 'backups') return ofBackups(deps)
    if (source.from !== 'file') return ofPlace(deps, source)
    if (chosen === undefined) throw new Error(t.restore.noFile)
    return ofFile(deps, chosen, source.passphrase)
  }

  return {
    'restore.chooseFile': () =>
      outcome('restore.chooseFile', async () => {
        const file = await chooseFile(window.browserWindow, t.dialogs.chooseBackup, backupFiles)
        if (file === undefined) return undefined
        const encrypted = await isProtected(file)
        chosen = file
        return { file, encrypted }
      }),
    'restore.points': (source) => findPoints(deps, source),
    'restore.preview'(source, at) {
      opening.abort(new Error(t.restore.cancelled))
      opening = new AbortController()
      const { signal } = opening
      return serialize(() => outcome('restore.preview', () => originOf(source).preview(at, signal)))
    },
    'restore.run': (source, at, loss) =>
      serialize(() =>
        outcome('restore.run', async () => {
          const restored = await originOf(source).restore(at, loss)
          log.info({ from: source.from, at: restored.at, missing: restored.missingMedia }, 'server restored')
          return restored
        }),
      ),
    'restore.undo': (name) => serialize(() => outcome('restore.undo', () => undo(deps, name))),
    'restore.cancel'() {
      opening.abort(new Error(t.restore.cancelled))
      return serialize(async () => {
        await removeFetched(dataDir)
        return undefined
      })
    },
  }
}

/** Puts replaced data back, with the key of their copies. Only listed names are accepted, so that no name leads out of the data folder. */
async function undo({ dataDir, server, copiesKeeper, log }: RestoresDeps, name: string): Promise<string> {
  if (!(await listReplaced(dataDir)).some((folder) => folder.name === name)) {
    throw new Error(`The folder ${name} no longer exists.`)
  }
  return server.whileStopped(async () => {
    const replaced = await undoRestore({ directory: dataDir, now: () => new Date() }, join(dataDir, name))
    await takeKeyBack(copiesKeeper, name, basename(replaced))
    log.info({ folder: name, replaced }, 'replaced data put back')
    return replaced
  })
}

async function findPoints(deps: RestoresDeps, source: RestoreSource): Promise<FoundPoints> {
  if (source.from === 'file') return { problems: {}, points: [] }
  if (source.from === 'backups') {
    return { problems: {}, points: (await listBackups(deps.dataDir)).map(toPoint) }
  }
  try {
    const readable = await readableOf(deps, source)
    if ('problems' in readable) return { ...readable, points: [] }
    return await withTarget(readable, undefined, async (target) => {
      // Fails for a key of another copy, or if there is nothing to restore.
      await findChain(target)
      const { points } = await readPoints(target)
      return { problems: {}, points: points.map((at) => ({ at: at.toISOString() })) }
    })
  } catch (error) {
    return { problems: problemsOf(error, source), points: [] }
  }
}
