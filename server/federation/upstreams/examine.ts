/** Looks up and verifies the content of an event: a claim of a source counts only with its proof. */
import { type DidString, isValidDid, isValidNsid, isValidRecordKey } from '@atproto/syntax'
import { UnresolvableDid } from '../../identity/did/resolver.ts'
import { OutboundFailed } from '../../platform/network/client.ts'
import { InvalidProof, type VerifiedCommit, verifyCommit } from '../../repository/format/verify-commit.ts'
import { clearDeadline, setDeadline } from '../../util/deadlines.ts'
import { createPace, inTurn, nextTurn } from '../../util/turns.ts'
import { isWaiting } from '../../util/wait.ts'
import type { Actors } from '../actors/actors.ts'
import type { RemoteChange } from '../remote/change.ts'
import type { Intake } from '../remote/intake.ts'
import type { RemoteStatus } from '../remote/remote-status.ts'
import { type Identify, withOrigin } from '../remote/repository-origin.ts'
import type { StatusClaims } from '../remote/status-claims.ts'
import { createMovedAuthors } from './moved-authors.ts'
import { findBlocks } from './unverified.ts'
import { type Frame, type OpClaim, readAccount, readCommit, readSync } from './upstream-frames.ts'

/** The verified content of an event. */
export type Finding =
  | { readonly kind: 'changes'; readonly changes: readonly RemoteChange[] }
  | { readonly kind: 'status'; readonly did: string; readonly status: RemoteStatus | undefined }
  /** The event lacks the changes: they must be read from the repository. */
  | { readonly kind: 'incomplete'; readonly did: DidString }
  /** The changes are over budget, and were not verified. */
  | { readonly kind: 'dropped'; readonly did: DidString }
  | { readonly kind: 'nothing' }

/**
 * Verifies an event of an actor that concerns this server.
 * @throws InvalidProof, InvalidFrame, UnresolvableDid, OutboundFailed, OutboundRefused
 */
export type Examine = (frame: Frame) => Promise<Finding>

interface Deps {
  /** Origin of the upstream. */
  readonly origin: string
  readonly actors: Pick<Actors, 'identify' | 'forget'>
  readonly intake: Pick<Intake, 'isOverBudget'>
  readonly statusClaims: StatusClaims
  readonly now: () => Date
  /** Milliseconds to wait for another server, which goes on being asked; by default until it answers. */
  readonly patienceMs?: number
}

/** Milliseconds after which an identity is looked up again before its status changes. */
const statusIdentityAgeMs = 60_000
/** `#identity` events of an actor that count in a time; more are ignored. */
const [maxIdentityEvents, identityWindowMs] = [5, 60_000]
/** Bytes of a like or repost; most have 200. */
const maxLikeBytes = 5000
/** Actors whose events are counted. */
const maxRecent = 10_000

export function createExaminer({
  origin: via,
  actors,
  intake,
  statusClaims,
  now,
  patienceMs,
}: Deps): Examine {
  /** `#identity` events by DID. */
  const recent = new Map<string, { readonly since: number; readonly count: number }>()
  const moved = createMovedAuthors(now)
  const identify: Identify = (did, options) =>
    withPatience(
      actors.identify(did, { via, requester: { kind: 'upstream', key: via }, ...options }),
      patienceMs,
    )

  function verify(car: Uint8Array, did: string): Promise<VerifiedCommit> {
    return withOrigin(identify, did, ({ signingKey, host }) =>
      inTurn(() => verifyCommit(car, { did, signingKey })).catch((error: unknown) => {
        if (host === via) moved.delete(did)
        else moved.add(did)
        throw error
      }),
    )
  }

  /** Whether a new record would be refused by a budget, regardless of its signature. */
  function isOverBudget(did: string, { action, path, cid }: OpClaim, blockOf: BlockOf): boolean {
    const bytes = action === 'create' && cid && blockOf(cid.bytes)
    // A larger record is verified: likes and reposts are smaller, and reading it takes long.
    if (!bytes || bytes.length > maxLikeBytes) return false
    const change = {
      did: did as DidString,
      ...splitPath(path),
      rev: '',
      content: { cid: cid.toString(), bytes },
    }
    return intake.isOverBudget(via, change)
  }

  async function areOverBudget(frame: Frame, ops: readonly OpClaim[]): Promise<boolean> {
    const cids = ops.flatMap(({ cid }) => cid?.bytes ?? [])
    const blockOf = await inTurn(() => findBlocks(frame.blocks, cids))
    const pace = createPace()
    for (const op of ops) {
      if (!isOverBudget(frame.did, op, blockOf)) return false
      await pace()
    }
    return ops.length > 0
  }

  async function examineCommit(frame: Frame): Promise<Finding> {
    await nextTurn()
    const { ops, isTooBig } = readCommit(frame)
    if (isTooBig) return { kind: 'incomplete', did: frame.did as DidString }
    if (await areOverBudget(frame, ops)) return { kind: 'dropped', did: frame.did as DidString }
    const isCounted = moved.has(frame.did)
    const commit = await verify(frame.blocks, frame.did).catch((error: unknown) => {
      if (error instanceof InvalidProof && isCounted && moved.has(frame.did)) return undefined
      throw error
    })
    if (!commit) return { kind: 'nothing' }
    return { kind: 'changes', changes: await changesOf(commit, new Set(ops.map(({ path }) => path))) }
  }

  async function examineSync(frame: Frame): Promise<Finding> {
    await verify(readSync(frame), frame.did)
    return { kind: 'incomplete', did: frame.did as DidString }
  }

  /** The host of an actor decides on its status. Any other source only makes this server ask the host. */
  async function examineAccount(frame: Frame): Promise<Finding> {
    const { did } = frame
    const claimed = readAccount(frame)
    // The previous host of an actor that has moved reports it as inactive.
    const { host } = await identify(did, { maxAgeMs: statusIdentityAgeMs }).catch((error: unknown) => {
      // A host that has deleted an account may have been the only one that had its identity.
      if (error instanceof UnresolvableDid) return identify(did, { maxAgeMs: Number.POSITIVE_INFINITY })
      throw error
    })
    const status = host === via ? statusClaims.settle(did, claimed) : statusClaims.ask(did, host)
    return { kind: 'status', did, status: await withPatience(status, patienceMs) }
  }

  /** The event is not signed: it only makes this server look the identity up again. */
  async function examineIdentity({ did }: Frame): Promise<Finding> {
    const at = now().getTime()
    const window = recent.get(did)
    const isNew = !window || !isWaiting(window.since + identityWindowMs, at, identityWindowMs)
    const count = isNew ? 1 : window.count + 1
    if (recent.size >= maxRecent) recent.clear()
    recent.set(did, { since: isNew ? at : window.since, count })
    if (count <= maxIdentityEvents) await actors.forget(did)
    return { kind: 'nothing' }
  }

  const examiners: { readonly [Kind in Frame['kind']]: Examine } = {
    commit: examineCommit,
    sync: examineSync,
    account: examineAccount,
    identity: examineIdentity,
  }

  return async (frame) => {
    if (!isValidDid(frame.did)) throw new InvalidProof(`${frame.did.slice(0, 100)} is not a DID`)
    return examiners[frame.kind](frame)
  }
}

type BlockOf = Awaited<ReturnType<typeof findBlocks>>

/** @throws OutboundFailed when the time is over; the work goes on */
async function withPatience<T>(work: Promise<T>, patienceMs: number | undefined): Promise<T> {
  if (patienceMs === undefined) return work
  const { promise: over, reject } = Promise.withResolvers<never>()
  const timer = setDeadline(() => reject(new OutboundFailed('no response yet')), patienceMs)
  try {
    return await Promise.race([work, over])
  } finally {
    clearDeadline(timer)
  }
}

/** Reads changes from the tree, whatever the event states about them. */
async function changesOf(commit: VerifiedCommit, paths: ReadonlySet<string>): Promise<RemoteChange[]> {
  const { did, rev } = commit
  const pace = createPace()
  const changes: RemoteChange[] = []
  for (const path of paths) {
    const content = commit.record(path)
    changes.push({ did: did as DidString, ...splitPath(path), rev, content })
    await pace()
  }
  return changes
}

/** @throws InvalidProof */
function splitPath(path: string): Pick<RemoteChange, 'collection' | 'rkey'> {
  const [collection = '', rkey = '', ...rest] = path.split('/')
  if (!isValidNsid(collection) || !isValidRecordKey(rkey) || rest.length > 0) {
    throw new InvalidProof(`${path.slice(0, 100)} is not the path of a record`)
  }
  return { collection, rkey }
}
