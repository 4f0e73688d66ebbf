/** Proves that the copy at a place comes back: fetches it, puts it together and verifies it as a backup is. Repairs damage. */

import { join } from 'node:path'
import type { Summary } from '../../store/backups/summary.ts'
import type { Database } from '../../store/database.ts'
import { matchesCid } from '../../store/files/blob-files.ts'
import { hasSpace } from '../../store/files/disk-space.ts'
import { type Files, readJson, replaceJson, sizeIfThere } from '../../store/files/files.ts'
import { blobsName, copiesName, databaseName } from '../../store/files/layout.ts'
import { JournalGap, JournalTail } from '../../store/journal/tail.ts'
import { randomFraction } from '../../util/random.ts'
import { untilAborted } from '../../util/until-aborted.ts'
import { endName, type Segment } from './catalog.ts'
import type { AssembledResult } from './check-restore.ts'
import { type JobDeps, runFileJob } from './file-jobs.ts'
import { ifUndamaged, isDamaged, PlaceProblem } from './places/place.ts'
import { fetchChain, getObject } from './receive.ts'
import { dayMs, monthMs, weekMs } from './replica-retention.ts'
import type { Replicator } from './replicator.ts'
import type { ReplicatorDeps } from './replicator-state.ts'
import { listMedia, sendMedia, sendSegment, type Target } from './send.ts'
import { type Chain, chainOf } from './ways/ways.ts'

export interface Proof {
  readonly checkedAt: string
  /** When the copy came back whole, at last. */
  readonly provenAt: string | undefined
  /** When all media were compared, at last. */
  readonly mediaAt: string | undefined
  /** Why the copy cannot be restored, in words for people. */
  readonly problem: string | undefined
}

export interface Prover {
  readonly proof: Proof | undefined
  /** Whether the last proof is a week old, or a day if it failed. */
  isDue(): boolean
  /** Proves the newest copy and records the result. @throws Error if it cannot be found out whether the copy comes back */
  prove(): Promise<Proof>
}

interface Deps extends Target, Pick<ReplicatorDeps, 'files' | 'dataDir' | 'now' | 'id'>, JobDeps {
  readonly replicator: Replicator
  readonly store: Pick<Database, 'seq'>
  readonly files: Files
}

/** Media that are compared each week. */
const sampledMedia = 20
/** Each repair may find further damage. */
const attempts = 4

export async function createProver(deps: Deps): Promise<Prover> {
  const { place, replicator, store, files, dataDir, now, id, signal } = deps
  const file = join(dataDir, copiesName, `${id}.proof.json`)
  const root = join(dataDir, copiesName, `${id}.proof`)
  // A crash may have left it.
  await files.removeDir(root)
  let proof = await readJson<Proof>(files, file)

  /** Reads the place, copies what it lacks, and returns what it has then. */
  async function newestChain(): Promise<Chain> {
    replicator.forget()
    const durable = store.seq
    await replicator.step()
    const { problem, isPaused } = replicator.state
    if (problem) throw problem
    if (isPaused) throw new PlaceProblem('unreachable', 'The network is metered: copies wait.')
    const { content, timeline } = await replicator.read()
    const chain = chainOf(content, timeline)
    if (!chain) throw new PlaceProblem('damaged', 'The copy has no complete database.')
    if (chain.seq < durable) {
      throw new PlaceProblem('damaged', `The copy ends at transaction ${chain.seq} of ${durable}.`)
    }
    return chain
  }

  async function receive(chain: Chain, folder: string): Promise<void> {
    const size = (await sizeIfThere(files, join(dataDir, databaseName))) ?? 0
    const fetched = chain.segments.reduce((sum, { bytes }) => sum + bytes, chain.base.bytes)
    await files.makeDir(folder)
    if (!(await hasSpace(files, folder, 2 * size + fetched))) {
      throw new PlaceProblem('local', 'The disk has too little free space to test the copy. Free disk space.')
    }
    await fetchChain(deps, chain, { files, folder, onProgress: () => signal?.throwIfAborted() })
  }

  async function summarizeStore(): Promise<Summary> {
    try {
      return await runFileJob(deps, { kind: 'summarize', dataDir })
    } catch (error) {
      signal?.throwIfAborted()
      const message = 'The data of this computer cannot be read to compare the copy with them.'
      throw new PlaceProblem('local', message, { cause: error })
    }
  }

  /** Fetches the copy and puts it together, repairing the first damage. Returns undefined if it has to be fetched again. */
  async function attempt(isLast: boolean): Promise<AssembledResult | undefined> {
    // A base that is due is sent before: the chain must lead through the transaction that is compared.
    await newestChain()
    const before = await summarizeStore()
    const newest = await newestChain()
    if (before.seq < newest.base.seq || before.seq > newest.seq) {
      if (!isLast) return undefined
      throw new PlaceProblem('local', 'The data change too fast to compare the copy with them.')
    }
    const chain = upTo(newest, before.seq)
    const folder = join(root, chain.base.name.replaceAll('/', '-'))
    try {
      await receive(chain, folder)
      const result = await runFileJob(deps, { kind: 'check assembled', folder, store: before, at: now() })
      if (result.problem === undefined || isLast) return result
      // All objects are as they were sent: only another base can help.
      replicator.renew()
    } catch (error) {
      if (!isDamaged(error) || isLast) throw error
      await repair(chain, error.object ?? endName(chain.base.name))
    }
    await files.removeDir(root)
    return undefined
  }

  /** Replaces a damaged object, or makes the next step send a base that replaces it. */
  async function repair({ segments }: Chain, object: string): Promise<void> {
    // A second reading: the first one may have failed on its way.
    if (await ifUndamaged(() => getObject(deps, object))) return
    const segment = segments.find(({ name }) => name === object)
    if (!(segment && (await isSentAgain(segment)))) replicator.renew()
  }

  /** Sends the transactions of a segment again; false if their journals are here no longer. */
  async function isSentAgain({ name, timeline, from, to, at }: Segment): Promise<boolean> {
    try {
      const part = await new JournalTail(files, dataDir, from - 1).read(to, Number.POSITIVE_INFINITY)
      if (part?.from !== from || part.to !== to) return false
      const sent = await replicator.betweenSteps(() => sendSegment(deps, timeline, part, at))
      if (sent.name !== name) await place.remove(name)
      return true
    } catch (error) {
      if (error instanceof JournalGap) return false
      throw error
    }
  }

  /** Compares media with their CIDs. Returns those that the place does not have intact. */
  async function damagedMedia(cids: readonly string[]): Promise<string[]> {
    const there = await listMedia(deps)
    const damaged: string[] = []
    for (const cid of cids) {
      signal?.throwIfAborted()
      const parts = there.get(deps.sealer.hiddenName(cid))
      const content = async function* () {
        for (const part of parts ?? []) yield await getObject(deps, part)
      }
      if (!(parts && (await ifUndamaged(() => matchesCid(cid, content()))))) damaged.push(cid)
    }
    return damaged
  }

  /** Compares media, and replaces damaged ones. Returns a sentence if some cannot be. */
  async function proveMedia(all: readonly string[], isThorough: boolean): Promise<string | undefined> {
    const there = await listMedia(deps)
    const unlisted = isThorough ? [] : all.filter((cid) => !there.has(deps.sealer.hiddenName(cid)))
    const cids = isThorough ? all : [...new Set([...unlisted, ...sample(all)])]
    // A second reading: the first one may have failed on its way.
    const damaged = await damagedMedia(await damagedMedia(cids))
    const blobs = join(dataDir, blobsName)
    for (const cid of damaged) await replicator.betweenSteps(() => sendMedia(deps, files, blobs, cid))
    const { length } = damaged.length > 0 ? await damagedMedia(damaged) : damaged
    return length === 0 ? undefined : `The copy lacks ${length} media files that this computer lacks, too.`
  }

  /** A damaged time, or one in the future, is ignored. */
  function isYounger(time: string | undefined, ms: number): boolean {
    const age = now().getTime() - Date.parse(time ?? '')
    return age >= 0 && age < ms
  }

  async function prove(): Promise<Proof> {
    const at = now().toISOString()
    let result: AssembledResult | undefined
    for (let left = attempts; left > 0 && !result; left--) result = await attempt(left === 1)
    const { cids = [] } = result ?? {}
    const isThorough = !isYounger(proof?.mediaAt, monthMs)
    const problem = result?.problem ?? (await proveMedia(cids, isThorough))
    const isProven = problem === undefined
    return {
      checkedAt: at,
      provenAt: isProven ? at : proof?.provenAt,
      mediaAt: isProven && isThorough ? at : proof?.mediaAt,
      problem,
    }
  }

  return {
    get proof() {
      return proof
    },
    isDue() {
      if (!proof) return replicator.state.copiedAt !== undefined
      return !isYounger(proof.checkedAt, proof.problem === undefined ? weekMs : dayMs)
    },
    async prove() {
      try {
        proof = await (signal ? untilAborted(prove, signal) : prove())
      } catch (error) {
        // Too little disk space for a proof is no success either.
        if (!(error instanceof PlaceProblem && ['damaged', 'local'].includes(error.kind))) throw error
        const { provenAt, mediaAt } = proof ?? {}
        proof = { checkedAt: now().toISOString(), provenAt, mediaAt, problem: error.message }
      } finally {
        // A thread that ends may still write there; the next start removes it.
        if (!signal?.aborted) await files.removeDir(root)
      }
      await replaceJson(files, file, proof)
      return proof
    },
  }
}

/** Returns the part of a chain that leads to a transaction. */
function upTo(chain: Chain, seq: number): Chain {
  const segments = chain.segments
    .filter(({ from }) => from <= seq)
    .map((segment) => ({ ...segment, last: Math.min(segment.last, seq) }))
  return { ...chain, segments, seq }
}

function sample(cids: readonly string[]): string[] {
  const left = [...cids]
  const chosen: string[] = []
  while (left.length > 0 && chosen.length < sampledMedia) {
    chosen.push(...left.splice(Math.floor(randomFraction() * left.length), 1))
  }
  return chosen
}
