/** Decides whether an event may concern this server, from as few of its bytes as possible. */
import type { Interest } from '../remote/interest.ts'
import { type CommitClaim, type Frame, InvalidFrame, readCommit } from './upstream-frames.ts'

/** Posts and reposts, under any name of their collections. */
const isFeedItem = /\.feed\.(?:re)?post\//
/** Lists and their items, under any name of their collections. */
const isOfList = /\.graph\.list(?:item)?\//
/** Records of which a repository has one, such as the profile. */
const isSingle = /\/self$/

/** The part of an event that may concern this server: the event, which is then verified, or only its author. */
export type Concern = 'event' | 'author' | 'none'

export function concernOf(frame: Frame, interest: Interest): Concern {
  const { kind, did, blocks } = frame
  if (interest.isLocal(did)) return 'none'
  if (kind === 'commit' && interest.mentionsLocal(blocks)) return 'event'
  const isWatched = interest.isWatched(did)
  if (!isWatched && !interest.isKnown(did)) return 'none'
  return kind !== 'commit' || changesKnown(frame, isWatched, interest) ? 'event' : 'author'
}

/** Whether a commit of a known actor changes records that may be stored here. */
function changesKnown(frame: Frame, isWatched: boolean, interest: Interest): boolean {
  const claim = claimOf(frame)
  if (!claim || claim.isTooBig) return true
  const isConcerned = ({ action, path }: (typeof claim.ops)[number]) =>
    action !== 'create' || isSingle.test(path) || (isWatched && isFeedItem.test(path))
  return (
    claim.ops.some(isConcerned) ||
    (claim.ops.some(({ path }) => isOfList.test(path)) && interest.hasUsedList(frame.did))
  )
}

/** Returns undefined for an invalid event, which is found out and counted when it is verified. */
function claimOf(frame: Frame): CommitClaim | undefined {
  try {
    return readCommit(frame)
  } catch (error) {
    if (error instanceof InvalidFrame) return undefined
    throw error
  }
}
