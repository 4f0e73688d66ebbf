/** Whether a record that was found afterwards is recent enough to notify of it. */

import type { RemoteChange } from '../remote/change.ts'
import { createdAtOf } from '../remote/read-change.ts'

/** In days: earlier activity is stored, but notifies of nothing when a catch-up finds it first. */
export const recentDays = 30
export const recentMs = recentDays * 24 * 60 * 60_000

/** Whether a record is recent, by the time that it states. A deletion and a record without a time count as recent. */
export function isRecent({ content }: RemoteChange, now: Date): boolean {
  const createdAt = content && createdAtOf(content.bytes)
  return createdAt === undefined || now.getTime() - createdAt.getTime() < recentMs
}
