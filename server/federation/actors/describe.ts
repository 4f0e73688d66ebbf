/** Descriptions of actors for `com.core.actor.describeActors`. */
import { type HandleString, INVALID_HANDLE, type UriString } from '@atproto/syntax'
import type { com } from '../../../lexicons/generated/index.ts'
import { statusOf } from '../../store/tables/account-status.ts'
import { iso } from '../../util/time.ts'
import type { ActorDescription } from '../tables/remote-actors.ts'

export function describeActor(row: ActorDescription): com.core.actor.describeActors.Actor {
  const { did, handle, isLocal, host, refreshedAt, remoteStatus } = row
  return {
    did,
    handle: handle ?? (INVALID_HANDLE as HandleString),
    isLocal: isLocal === 1,
    host: (host as UriString | null) ?? undefined,
    status: remoteStatus ?? statusOf(row),
    refreshedAt: refreshedAt === null ? undefined : iso(new Date(refreshedAt)),
  }
}
