/**
 * Moves accounts between this server and others. A move is a row with its current step; it goes on after failures and restarts
 * until it needs its owner, or has ended.
 */

import type { ResolveDid } from '../../identity/did/resolver.ts'
import type { Secrets } from '../../identity/did/server-secrets.ts'
import { createPeers, type Peers } from '../../platform/network/peer.ts'
import type { Platform } from '../../platform/platform.ts'
import type { CallMethod } from '../../platform/xrpc/internal-call.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Move, MoveChanges } from '../../repository/tables/moves.ts'
import * as rows from '../../repository/tables/moves.ts'
import { findByDid } from '../../store/tables/accounts.ts'
import { keepForGood } from '../../store/tables/unactivated.ts'
import { backoffMs } from '../../util/backoff.ts'
import { isWaiting } from '../../util/wait.ts'
import * as missingMedia from '../tables/missing-media.ts'
import { createLocalSide } from './local-side.ts'
import { canCancel } from './moves-view.ts'
import { createRemoteSide, endSession, type PeerSession, SignInNeeded } from './remote-side.ts'
import type { Side } from './side.ts'
import { enterCode, isFinal, type StepContext, stepTable } from './steps.ts'

export interface MovesDeps
  extends Pick<Platform, 'config' | 'names' | 'store' | 'background' | 'log' | 'now' | 'signal'> {
  readonly resolveDid: ResolveDid
  readonly origin: string
  readonly callMethod: CallMethod
  readonly secrets: Pick<Secrets, 'rotationKey'>
}

export interface Moves {
  /** The connections to other servers. */
  readonly peers: Peers
  /** Starts a move in the background, in the place of an earlier one of the account. */
  begin(move: rows.NewMove): Promise<void>
  /** Continues the moves that do not wait for their owner. Failed ones are retried with growing delays. */
  resumeDue(): Promise<void>
  /** Signs the operation with the code that the old server mailed, and goes on. @throws XrpcError of the old server */
  enterCode(did: string, code: string): Promise<void>
  /** Has a new code mailed, or tries the failed step again. @param consent to losses: media that cannot be copied, late writes */
  retry(did: string, consent?: Consent): Promise<void>
  /** Replaces the session at the other server, and goes on. */
  replaceSession(did: string, session: PeerSession): Promise<void>
  /** Stops a move and removes its row. Returns false if it is too far by then. */
  cancel(did: string): Promise<boolean>
}

/** Losses that the owner accepts. */
export interface Consent {
  /** The files that are listed as missing. */
  readonly withoutMissingMedia?: boolean | undefined
  /** Records written at the old server after the account became active at the new one. */
  readonly withoutLaterRecords?: boolean | undefined
}

/** The first is shorter than the interval of the job, so that its next run retries. */
const retryDelays = { firstMs: 10_000, longestMs: 60 * 60_000 }

interface Run {
  readonly abort: AbortController
  readonly ended: Promise<void>
  /** Whether the move changed while this run was about to end. */
  isResumed: boolean
}

export function createMoves(deps: MovesDeps): Moves {
  const { config, names, store, background, log, now, signal } = deps
  const peers = createPeers({
    allowPrivate: config.allowPrivateTargets,
    networkName: names.stored,
    signal,
  })
  const running = new Map<string, Run>()
  const retries = new Map<string, { readonly failures: number; readonly at: number }>()

  const update = (did: string, changes: MoveChanges) =>
    store.transact((tx) => {
      rows.update(tx, did, changes, now().getTime())
      // From now on the identity may name this server at any time.
      if (changes.operation) keepForGood(tx, did)
    })

  function contextOf(move: Move, runSignal: AbortSignal): StepContext {
    const { did, direction } = move
    const here = createLocalSide(deps, did)
    const there = remoteSide(move, runSignal)
    return {
      ...{ move, log, plcUrl: config.plcUrl, signal: runSignal },
      source: direction === 'in' ? there : here,
      target: direction === 'in' ? here : there,
      resolveDid: deps.resolveDid,
      progress: {
        counted: (blobsExpected, blobsCopied) => update(did, { blobsExpected, blobsCopied }),
        copied: (bytes) => store.transact((tx) => rows.countBlob(tx, did, bytes, now().getTime())),
      },
      storeMissing: (files) => store.transact((tx) => missingMedia.replace(tx, did, files)),
      update: (changes) => update(did, changes),
      signer: move.byAdmin ? deps.secrets.rotationKey : undefined,
      mailsCode: direction === 'in' || findByDid(store, did)?.email !== null,
      at: now().getTime(),
    }
  }

  function remoteSide({ did, peer: origin, accessJwt, refreshJwt }: Move, runSignal: AbortSignal): Side {
    if (accessJwt === null || refreshJwt === null) throw new SignInNeeded()
    return createRemoteSide({
      peer: peers.at(origin),
      origin,
      session: { accessJwt, refreshJwt },
      maxBytes: (nsid) => (nsid === 'com.core.sync.getBlob' ? config.blobUploadLimit : config.importLimit),
      keep: (session) => update(did, session),
      now,
      signal: runSignal,
    })
  }

  /** Runs steps until the move needs its owner, fails or ends. */
  async function run(did: string, runSignal: AbortSignal): Promise<void> {
    for (;;) {
      const move = rows.find(store, did)
      if (!move || move.step === 'done' || move.need !== null || runSignal.aborted) return
      try {
        const changes = await stepTable[move.step](contextOf(move, runSignal))
        await update(did, { error: null, ...changes })
        if (changes.step === 'done') await signOut(move)
        retries.delete(did)
      } catch (error) {
        if (!runSignal.aborted) await fail(move, error)
        return
      }
    }
  }

  async function fail({ did, peer, step }: Move, error: unknown): Promise<void> {
    log.warn({ err: error, did, peer, step }, 'move failed')
    if (error instanceof SignInNeeded) return update(did, { need: 'signIn', error: null })
    // After a final error, delays are the longest.
    const failures = isFinal(error) ? Number.POSITIVE_INFINITY : (retries.get(did)?.failures ?? 0)
    const at = now().getTime() + backoffMs(retryDelays, failures)
    retries.set(did, { failures: failures + 1, at })
    await update(did, { error: messageOf(error) })
  }

  /** Ends the session at the other server. If a crash prevents that, the session ends when its tokens expire. */
  async function signOut({ peer, refreshJwt }: Pick<Move, 'peer' | 'refreshJwt'>): Promise<void> {
    if (refreshJwt) await endSession(peers.at(peer), refreshJwt, signal)
  }

  /** Resolves when no step of a move runs. */
  async function stop(did: string): Promise<void> {
    const run = running.get(did)
    run?.abort.abort()
    await run?.ended
  }

  /** Goes on with a move in the background, unless it runs already. */
  function resume(did: string): void {
    const current = running.get(did)
    if (current) current.isResumed = true
    if (current || signal.aborted) return
    const abort = new AbortController()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const started: Run = { abort, ended, isResumed: false }
    running.set(did, started)
    background.run('move', async () => {
      try {
        await run(did, AbortSignal.any([abort.signal, signal]))
      } finally {
        running.delete(did)
        resolve()
        if (started.isResumed && !abort.signal.aborted) resume(did)
      }
    })
  }

  return {
    peers,
    async begin(move) {
      await stop(move.did)
      await store.transact((tx) => rows.start(tx, move, now().getTime()))
      resume(move.did)
    },
    async resumeDue() {
      for (const did of rows.runnable(store)) {
        if (!isWaiting(retries.get(did)?.at ?? 0, now().getTime(), retryDelays.longestMs)) resume(did)
      }
    },
    async enterCode(did, code) {
      const move = rows.find(store, did)
      if (move?.need !== 'code') return
      const changes = await enterCode(contextOf(move, signal), code).catch((error: unknown): MoveChanges => {
        if (error instanceof SignInNeeded) return { need: 'signIn' }
        throw error
      })
      await update(did, { error: null, ...changes })
      resume(did)
    },
    async retry(did, { withoutMissingMedia = false, withoutLaterRecords = false } = {}) {
      await store.transact((tx) => {
        const move = rows.find(tx, did)
        if (!move || move.endedAt !== null) return
        if (withoutMissingMedia) missingMedia.accept(tx, did)
        const isLate = move.need === 'copy' && move.step === 'deactivation'
        const changes: MoveChanges = {
          ...(isLate && (withoutLaterRecords ? { withoutLater: 1 } : { step: 'repository' })),
          ...{ need: null, copies: 0 },
        }
        rows.update(tx, did, changes, now().getTime())
      })
      retries.delete(did)
      resume(did)
    },
    async replaceSession(did, session) {
      await update(did, { ...session, need: null, error: null })
      resume(did)
    },
    async cancel(did) {
      await stop(did)
      const move = rows.find(store, did)
      if (!move || !canCancel(move)) {
        resume(did)
        return false
      }
      await store.transact((tx) => rows.remove(tx, did))
      await signOut(move)
      return true
    },
  }
}

/** The message for the owner of the account. Errors that are ours are only logged. */
function messageOf(error: unknown): string {
  const isKnown = error instanceof XrpcError || (error instanceof Error && error.name.startsWith('Outbound'))
  return isKnown ? error.message || error.name : 'This step failed on this server. The log has the reason.'
}
