/** The status of an actor, such as a live stream. */
import type { DidString } from '@atproto/syntax'
import { app } from '../../../../lexicons/generated/index.ts'
import { instant, iso } from '../../../util/time.ts'
import type { ViewContext } from '../load/context.ts'
import { jsonOf, type ViewRecord } from '../load/records.ts'
import { blobUrl } from './images.ts'

type StatusRecord = app.example.actor.status.Main

const minute = 60_000

/** `app.example.actor.defs#statusView`; undefined when the status has expired. */
export function statusView(
  ctx: ViewContext,
  status: ViewRecord<StatusRecord>,
): app.example.actor.defs.StatusView | undefined {
  const { did, uri, cid, value } = status
  const end = expiry(value)
  if (end && end <= ctx.now()) return undefined
  return {
    uri,
    cid,
    status: value.status,
    record: jsonOf(status),
    embed: embedView(ctx, did, value.embed),
    expiresAt: end && iso(end),
    isActive: true,
  }
}

/** Undefined for a status without end. */
function expiry({ createdAt, durationMinutes }: StatusRecord): Date | undefined {
  const start = instant(createdAt)
  if (!start || durationMinutes === undefined) return undefined
  const end = new Date(start.getTime() + durationMinutes * minute)
  // Later years have no datetime in four digits.
  return end.getUTCFullYear() <= 9999 ? end : undefined
}

function embedView(
  ctx: ViewContext,
  did: DidString,
  embed: StatusRecord['embed'],
): app.example.actor.defs.StatusView['embed'] {
  if (!embed || !app.example.embed.external.$matches(embed)) return undefined
  const { uri, title, description, thumb } = embed.external
  return {
    $type: 'app.example.embed.external#view',
    external: { uri, title, description, thumb: blobUrl(ctx, did, thumb, 'feed_thumbnail') },
  }
}
