/** Reports a restore to the owner whose session has asked for it. */
import { reportChange } from '../../../identity/accounts/security-notice.ts'
import type { AdminCredentials } from '../../../identity/callers/credentials.ts'
import { yieldToEventLoop } from '../../../util/timers.ts'

type Platform = Parameters<typeof reportChange>[0]
type Author = Parameters<typeof reportChange>[3]

/** Returns a function that reports a restore. Call it before the server stops, which gives the message some seconds. */
export function reportRestore(
  platform: Platform,
  { session }: AdminCredentials,
  author: Author,
): () => Promise<void> {
  return async () => {
    if (!session) return
    await reportChange(platform, session.account, 'restore', author)
    await yieldToEventLoop()
  }
}
