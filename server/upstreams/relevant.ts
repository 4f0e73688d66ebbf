/** Decides whether an event may concern this server, from as few of its bytes as possible. */
import type { Interest } from '../remote/interest.ts'
import { type Frame, readCommit } from './frames.ts'

/** Posts and reposts, under any name of their collections. */
const isFeedItem = /\.feed\.(?:re)?post\//
/** Records of which a repository has one, such as the profile. */
const isSingle = /\/self$/

/**
 * Whether an event is worth its verification.
 * @throws InvalidFrame
 */
export function mayConcern(frame: Frame, interest: Interest): boolean {
  const { kind, did, blocks } = frame
  if (interest.isLocal(did)) return false
  if (kind === 'commit' && interest.mentionsLocal(blocks)) return true
  const isWatched = interest.isWatched(did)
  if (!isWatched && !interest.isKnown(did)) return false
  if (kind !== 'commit') return true
  const { ops, isTooBig } = readCommit(frame)
  return (
    isTooBig ||
    ops.some(
      ({ action, path }) =>
        action !== 'create' || isSingle.test(path) || (isWatched && isFeedItem.test(path)),
    )
  )
}
