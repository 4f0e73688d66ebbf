/**
 * Restores that the owner asks for over HTTP. They take minutes and stop the server, so a call begins one and another call returns its
 * state. They belong to the program that runs the server: the state outlives the server.
 */
import { join } from 'node:path'
import { listReplaced } from '../../../store/backups/replaced.ts'
import { undoRestore } from '../../../store/backups/restore.ts'
import type { Logger } from '../../../util/log.ts'
import { randomId } from '../../../util/random.ts'
import { createSerializer } from '../../../util/serialize.ts'
import { systemTime } from '../../../util/timers.ts'
import { removeFetched } from '../fetch-ahead.ts'
import type { Progress } from '../receive.ts'
import { type OriginDeps, ofBackups, type Restored, type RestorePreview } from './origins.ts'
import { ofPlace, pointsOfPlace } from './place-origin.ts'
import { sentenceOf } from './sentence.ts'

/** What is restored: a backup of this computer, or a state of a place of this server. */
export type OwnSource = { readonly from: 'backups' } | { readonly from: 'place'; readonly url: string }

export type RestoreState = { readonly step: 'none' } | StartedRestore

/** @property id of the preview, or of an undo */
type StartedRestore = { readonly id: string } & (
  | /** The state is read, or fetched from a place. */
  { readonly step: 'opening'; readonly progress?: Progress | undefined }
  | { readonly step: 'opened'; readonly preview: RestorePreview }
  | { readonly step: 'restoring'; readonly progress?: Progress | undefined }
  | { readonly step: 'restored'; readonly result: Restored }
  /** Nothing was changed. */
  | { readonly step: 'failed'; readonly message: string }
)

export interface Restores {
  readonly state: RestoreState
  /** Lists the states of a place of this server, newest first. @throws Error with a sentence for people */
  points(url: string): Promise<readonly Date[]>
  /**
   * Begins to read a state, the newest by default. Ends an earlier preview.
   * @returns the ID of the preview; undefined while a restore runs
   */
  open(source: OwnSource, at: string | undefined): string | undefined
  /**
   * Begins to restore what a preview has opened. Returns false if another page has opened or closed one since.
   * @param report runs before the server stops
   */
  restore(id: string, report: () => Promise<void>): boolean
  /** Begins to put replaced data back. Returns false if there is no such folder, or another restore runs. */
  undo(name: string, report: () => Promise<void>): Promise<boolean>
  /**
   * Ends a preview and removes what was fetched for it, or forgets the result of its restore. Does nothing if another page has opened
   * one since.
   */
  cancel(id: string): Promise<void>
}

interface Deps extends Omit<OriginDeps, 'onProgress' | 'whileStopped'> {
  /** Runs work while the server is stopped, and starts it again. If it does not start then, `undo` takes the work back. */
  readonly whileStopped: (
    work: () => Promise<Restored>,
    undo: (done: Restored) => Promise<unknown>,
  ) => Promise<Restored>
  readonly log: Logger
}

const notStarted =
  'The server did not start with these data. The data of before are back. Choose another state.'

export function createRestores(deps: Deps): Restores {
  const { dataDir, log } = deps
  /** One at a time: they share the folder of fetched files. */
  const serialize = createSerializer()
  let state: RestoreState = { step: 'none' }
  let opening = new AbortController()
  let begin: (() => Promise<Restored>) | undefined

  const putBack = (folder: string) => undoRestore({ directory: dataDir, now: systemTime }, folder)

  async function whileStopped(work: () => Promise<Restored>): Promise<Restored> {
    let isUndone = false
    try {
      return await deps.whileStopped(work, async ({ replaced }) => {
        await putBack(replaced)
        isUndone = true
      })
    } catch (error) {
      if (!isUndone) throw error
      throw new Error(`${notStarted} (${sentenceOf(error)})`, { cause: error })
    }
  }

  const origins: OriginDeps = {
    ...deps,
    whileStopped,
    onProgress(progress) {
      if (state.step === 'opening' || state.step === 'restoring') state = { ...state, progress }
    },
  }

  /** Ends the current preview, and returns the signal for the next one. */
  function renew(): AbortSignal {
    opening.abort(new Error('This was cancelled.'))
    opening = new AbortController()
    begin = undefined
    return opening.signal
  }

  function fail(id: string, error: unknown, message: string): void {
    log.warn({ err: error }, message)
    state = { step: 'failed', id, message: sentenceOf(error) }
  }

  function run(id: string, work: () => Promise<Restored>): void {
    state = { step: 'restoring', id }
    void serialize(async () => {
      try {
        const result = await work()
        log.info({ ...result }, 'server restored')
        state = { step: 'restored', id, result }
      } catch (error) {
        fail(id, error, 'restore failed')
      }
    })
  }

  return {
    get state() {
      return state
    },
    points: (url) => pointsOfPlace(deps, { from: 'place', url }),
    open(source, at) {
      if (state.step === 'restoring') return undefined
      const signal = renew()
      const id = randomId()
      state = { step: 'opening', id }
      const origin = source.from === 'backups' ? ofBackups(origins) : ofPlace(origins, source)
      void serialize(async () => {
        try {
          signal.throwIfAborted()
          const preview = await origin.preview(at, signal)
          signal.throwIfAborted()
          begin = () => origin.restore(at, preview.loss)
          state = { step: 'opened', id, preview }
        } catch (error) {
          if (!signal.aborted) fail(id, error, 'state to restore not opened')
        }
      })
      return id
    },
    restore(id, report) {
      if (begin === undefined || state.step !== 'opened' || state.id !== id) return false
      const restoreNow = begin
      run(id, () => report().then(restoreNow))
      return true
    },
    async undo(name, report) {
      // Only listed names are accepted, so that no name leads out of the data folder.
      const folder = (await listReplaced(dataDir)).find((each) => each.name === name)
      if (!folder || state.step === 'restoring') return false
      renew()
      run(randomId(), async () => {
        await report()
        return whileStopped(async () => {
          const replaced = await putBack(join(dataDir, name))
          return { at: folder.replacedAt.toISOString(), missingMedia: 0, replaced }
        })
      })
      return true
    },
    async cancel(id) {
      if (state.step === 'none' || state.step === 'restoring' || state.id !== id) return
      renew()
      state = { step: 'none' }
      await serialize(() => removeFetched(dataDir))
    },
  }
}

/** @throws XrpcError RestoreElsewhere if the program that runs the server offers none over HTTP */
export function requireRestores(
  { host }: { readonly host: { readonly restores?: Restores | undefined } | undefined },
  fail: (name: 'RestoreElsewhere', message: string) => Error,
): Restores {
  if (host?.restores) return host.restores
  throw fail('RestoreElsewhere', 'Restore in the program that runs this server')
}
