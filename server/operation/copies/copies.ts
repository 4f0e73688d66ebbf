/** The continuous copies of this server: one copier for each place, and what they share. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../../platform/config/config.ts'
import { blobCids } from '../../platform/store/backups/backup-blobs.ts'
import type { Database } from '../../platform/store/database.ts'
import { StoreContinued } from '../../platform/store/errors.ts'
import type { Files } from '../../platform/store/files.ts'
import { forgetJournals, keptJournals } from '../../platform/store/journal/retire.ts'
import { copiesName, databaseName } from '../../platform/store/layout.ts'
import type { Logger } from '../../platform/util/log.ts'
import { createSerializer } from '../../platform/util/serialize.ts'
import { createCopier } from './copier.ts'
import {
  type CredentialsKeeper,
  CredentialsUnavailable,
  credentialsFile,
  loadCredentials,
} from './credentials.ts'
import { shareLines } from './line.ts'
import { createLoop } from './loop.ts'
import { createMeteredCheck, questions } from './metered.ts'
import { openPlace } from './places/open.ts'
import { createProver, type Proof } from './prove.ts'
import { createSealer } from './sealer.ts'
import { type PlaceStatus, readEarlierStatus, writeStatus } from './status.ts'
import { tidy } from './tidy.ts'
import { tidyMedia } from './tidy-media.ts'
import { createUnreferenced } from './unreferenced.ts'

export interface Copies {
  /** Begins to copy. */
  start(): void
  /** In the order of the settings. */
  status(): readonly PlaceStatus[]
  /** Copies everything now, for at most `limitMs`. Resolves without an error: see `status`. */
  flush(limitMs: number): Promise<void>
  /** Reads all places again at once, as after the computer was asleep. */
  wake(): void
  /** Proves now that the copy at a place comes back. @throws Error if it cannot be found out */
  prove(url: string): Promise<Proof>
  /** Proves the copies whose last proof is too old. */
  proveDue(): Promise<void>
  /** Joins older segments at all places and removes what is no longer kept. */
  tidy(): Promise<void>
  /** Limits the disk space of journals that are kept for places that cannot be reached. */
  limitJournals(): Promise<void>
  /** This computer continues the server, although another one did. */
  continueHere(): Promise<void>
  /** Copies what is left, for at most `limitMs`, and stops. Nothing writes any more. */
  close(limitMs: number): Promise<void>
}

export interface CopiesOptions {
  /** Keeps the key and the passwords of places; the file of the settings by default. */
  readonly copiesKeeper?: CredentialsKeeper | undefined
}

interface Deps extends CopiesOptions {
  readonly config: Pick<
    Config,
    'dataDir' | 'copies' | 'copiesCredentials' | 'copiesBandwidth' | 'copiesKeep' | 'copiesMetered'
  >
  readonly store: Database
  readonly files: Files
  readonly now: () => Date
  readonly log: Logger
  readonly onUnloadable?: (error: Error) => void
  /** Ends proofs and clean-ups. */
  readonly signal?: AbortSignal
}

/** Most bytes of journals that are kept for places, or half of the database if that is more. */
const keptBytes = 256_000_000

/** The state changes several times a second; commands read it after this time. */
const statusMs = 1000

const none: Copies = {
  start() {},
  status: () => [],
  flush: async () => {},
  wake() {},
  prove: () => Promise.reject(new Error('There are no places.')),
  proveDue: async () => {},
  tidy: async () => {},
  limitJournals: async () => {},
  continueHere: async () => {},
  close: async () => {},
}

/** Copies that cannot begin without their key. Journals are kept for them. */
function waiting(urls: readonly string[], message: string, since: Date): Copies {
  const unknown = { copiedAt: undefined, seq: undefined, progress: undefined, proof: undefined }
  const known = { behindSeconds: 0, missingMedia: 0, isPaused: false }
  const problem = { kind: 'local', message, since } as const
  return { ...none, status: () => urls.map((url) => ({ url, ...unknown, ...known, problem })) }
}

/** Creates the copies. Without places, journals are no longer kept for them. */
export async function createCopies(deps: Deps): Promise<Copies> {
  const { config, store, files, now, log } = deps
  const { dataDir, copies: urls, copiesCredentials, copiesBandwidth: bandwidth } = config
  if (urls.length === 0) {
    await files.removeDir(keptJournals(dataDir))
    return none
  }
  await files.makeDir(keptJournals(dataDir))
  const keeper = deps.copiesKeeper ?? credentialsFile(dataDir, copiesCredentials, files)
  const loaded = await loadCredentials(keeper).catch((error: unknown) => {
    if (error instanceof CredentialsUnavailable) return error
    throw error
  })
  if (loaded instanceof CredentialsUnavailable) return waiting(urls, loaded.message, now())
  const { copyKey, places: credentials = {} } = loaded
  const sealer = createSealer(copyKey, deps.onUnloadable)
  const lines = await shareLines(files, dataDir)
  const earlier = await readEarlierStatus(files, dataDir)
  const closing = new AbortController()
  const { signal } = closing
  const serializeStatus = createSerializer()
  let statusTimer: NodeJS.Timeout | undefined
  /** Proofs and clean-ups: one at a time. */
  const serialize = createSerializer()
  const isMetered = config.copiesMetered ? async () => false : createMeteredCheck(questions[process.platform])

  const places = await Promise.all(
    urls.map(async (url) => {
      const place = await openPlace(url, { credentials: credentials[url], bandwidth, now, signal })
      const id = createHash('sha256').update(url).digest('hex').slice(0, 12)
      const shared = { files, dataDir, now, place, sealer, id }
      const unreferenced = createUnreferenced(files, join(dataDir, copiesName, `${id}.unreferenced`))
      const copier = createCopier({
        ...{ ...shared, store, lines, unreferenced, onState, earlier: earlier.get(url) },
        isMetered: url.startsWith('file:') ? async () => false : isMetered,
      })
      const prover = await createProver({
        ...{ ...shared, copier, currentLine: lines.current },
        ...{ onUnloadable: deps.onUnloadable, signal: deps.signal },
      })
      const loop = createLoop({ url, copier, proof: () => prover.proof, store, now, afterStep, signal })
      return { url, place, copier, unreferenced, prover, loop }
    }),
  )
  const loops = places.map(({ loop }) => loop)
  const stopWatching = store.watch(() => {
    for (const loop of loops) loop.changed()
  })

  function status(): PlaceStatus[] {
    return loops.map((loop) => loop.status())
  }

  /** Another computer continues this server: two must not write as one identity. */
  function onState(): void {
    const elsewhere = loops.find(({ copier }) => copier.state.problem?.kind === 'elsewhere')?.copier.state
      .problem
    store.refuseWrites(elsewhere && new StoreContinued(`${elsewhere.message} This one accepts no changes.`))
    statusTimer ??= setTimeout(() => void leaveStatus(), statusMs).unref()
  }

  async function leaveStatus(): Promise<void> {
    clearTimeout(statusTimer)
    statusTimer = undefined
    await serializeStatus(() => writeStatus(files, dataDir, status())).catch(() => {})
  }

  async function flush(limitMs: number): Promise<void> {
    // A place that has all transactions may lack media after a failure.
    const behind = loops.filter(({ copier: { state } }) => state.problem || (state.seq ?? 0) < store.seq)
    const copied = Promise.all(behind.map(({ copier }) => copier.step()))
    await Promise.race([copied, pause(limitMs, undefined, { ref: false })])
  }

  async function afterStep(): Promise<void> {
    const seqs = loops.map(({ copier }) => copier.state.seq)
    const reached = Math.min(...seqs.map((seq) => seq ?? 0))
    if (reached > 0) await forgetJournals(files, dataDir, reached + 1)
  }

  async function prove({ url, prover }: (typeof places)[number]): Promise<Proof> {
    const proof = await serialize(() => prover.prove())
    onState()
    if (proof.problem === undefined) log.info({ place: url }, 'copy proven')
    else log.error({ place: url, problem: proof.problem }, 'copy cannot be restored')
    return proof
  }

  /** Does work for each place that can be used; a failure stops no other. */
  async function forEach(name: string, work: (place: (typeof places)[number]) => Promise<unknown>) {
    for (const each of places) {
      const { problem, isPaused } = each.copier.state
      if (problem || isPaused || deps.signal?.aborted) continue
      await work(each).catch((error: unknown) => log.warn({ err: error, place: each.url }, `${name} failed`))
    }
  }

  return {
    async prove(url) {
      const place = places.find((each) => each.url === url)
      if (!place) throw new Error(`${url} is no place of copies.`)
      return prove(place)
    },
    proveDue: () =>
      forEach('proof of a copy', async (place) => {
        if (place.prover.isDue()) await prove(place)
      }),
    tidy: () =>
      forEach('clean-up of a copy', async ({ place, copier, unreferenced }) => {
        const line = lines.current()
        const options = { now: now(), weeks: config.copiesKeep, signal: deps.signal }
        const { betweenSteps } = copier
        if (!line) return
        await serialize(() => tidy({ place, sealer }, { ...options, line, betweenSteps }))
        const here = () => new Set(blobCids(store).map((cid) => sealer.hiddenName(cid)))
        const media = { unreferenced, here, onRemove: copier.forget }
        await serialize(() => tidyMedia({ place }, { ...options, ...media, line, betweenSteps }))
      }),
    async limitJournals() {
      const { bytes = 0 } = (await files.measureDir(keptJournals(dataDir))) ?? {}
      if (bytes <= keptBytes || bytes <= (await files.size(join(dataDir, databaseName))) / 2) return
      // A place that has no database yet takes longer for it than the changes do: it gets a newer one afterwards.
      const reached = places.flatMap(({ copier: { state } }) =>
        state.problem || state.isPaused ? [] : (state.seq ?? []),
      )
      const needed = Math.min(store.seq, ...reached)
      await forgetJournals(files, dataDir, needed + 1)
      log.warn({ bytes }, 'journals for places that cannot be reached removed: they get the database again')
    },
    start() {
      // What an earlier run has noticed.
      onState()
      for (const loop of loops) {
        void loop.run().catch((error: unknown) => log.error({ err: error }, 'copies stopped'))
      }
    },
    status,
    flush,
    wake() {
      for (const loop of loops) loop.wake()
    },
    async continueHere() {
      const generations = await Promise.all(
        loops.map(({ copier }) => copier.newestGeneration().catch(() => 0)),
      )
      await lines.begin(Math.max(lines.current()?.generation ?? 0, ...generations))
      for (const { copier } of loops) copier.takeOver()
      for (const loop of loops) loop.wake()
    },
    async close(limitMs) {
      stopWatching()
      await flush(limitMs)
      closing.abort()
      await Promise.all(loops.map((loop) => loop.ended()))
      await sealer.end()
      await leaveStatus()
    },
  }
}
