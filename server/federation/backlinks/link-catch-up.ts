/**
 * Reads the links that the live stream missed: to each account here, and to its recent posts. The service has no "since", so
 * lists are read from the newest link to the newest page that ends with a known one.
 */
import type { DidString } from '@atproto/syntax'
import type { Platform } from '../../platform/platform.ts'
import { recordUri } from '../../repository/records/record-uri.ts'
import { keysSince } from '../../repository/tables/posts.ts'
import type { Database } from '../../store/database.ts'
import { activeDids } from '../../store/tables/accounts.ts'
import { backoffMs } from '../../util/backoff.ts'
import { isWaiting } from '../../util/wait.ts'
import type { LinkQuery, ReadLinks } from './index-client.ts'
import type { Link } from './link.ts'
import type { LinkQueue } from './link-queue.ts'
import { recentMs } from './recent-records.ts'
import { collectionOf, sourcesOfAccount, sourcesOfPost } from './sources.ts'

export interface CatchUp {
  /** Makes all accounts due. */
  request(): void
  /** Reads the links of the accounts that are due: new ones, and all after six hours. Failures are logged, and delay the next run. */
  runDue(): Promise<void>
  readonly isRunning: boolean
  /** When the links of an account were last read. */
  readonly lastAt: Date | undefined
  /** Why the last run ended early; undefined if it did not. */
  readonly error: string | undefined
}

interface Deps extends Pick<Platform, 'log' | 'now' | 'signal'> {
  readonly store: Pick<Database, 'get' | 'all'>
  readonly readLinks: ReadLinks
  readonly isLocal: (did: string) => boolean
  readonly isKnown: (link: Link) => boolean
  readonly queue: Pick<LinkQueue, 'add' | 'hasRoom'>
}

const minute = 60_000
const everyMs = 360 * minute
const retryDelays = { firstMs: minute, longestMs: everyMs }
const maxAccounts = 10_000
/** Recent posts of each account. */
const maxPosts = 50
/** Pages of each list, and links of each account that are not known: a service may make them up. */
const maxPages = 20
const maxLinks = 5000

export function createCatchUp(deps: Deps): CatchUp {
  const { store, log, now, signal } = deps
  /** When the links of each account were read, in milliseconds since 1970. */
  const readAt = new Map<string, number>()
  let isRunning = false
  let lastAt: Date | undefined
  let error: string | undefined
  let failures = 0
  let notBefore = 0

  function dueAccounts(): DidString[] {
    const at = now().getTime()
    return activeDids(store, maxAccounts).filter(
      (did) => !isWaiting((readAt.get(did) ?? -everyMs) + everyMs, at, everyMs),
    )
  }

  async function readDue(): Promise<void> {
    for (const did of dueAccounts()) {
      // A request that comes while the links are read counts for the next run.
      const at = now()
      readAt.set(did, at.getTime())
      try {
        await readAccount(deps, did)
      } catch (cause) {
        readAt.delete(did)
        throw cause
      }
      lastAt = at
    }
  }

  function fail(cause: unknown): void {
    if (signal.aborted) return
    error = (cause as Error).message
    log.warn({ err: cause }, 'catch-up of backlinks failed')
    notBefore = now().getTime() + backoffMs(retryDelays, failures++)
  }

  return {
    get isRunning() {
      return isRunning
    },
    get lastAt() {
      return lastAt
    },
    get error() {
      return error
    },
    request: () => readAt.clear(),
    async runDue() {
      if (isRunning || isWaiting(notBefore, now().getTime(), everyMs) || dueAccounts().length === 0) return
      isRunning = true
      try {
        await readDue()
        error = undefined
        failures = 0
      } catch (cause) {
        fail(cause)
      } finally {
        isRunning = false
      }
    },
  }
}

/** @throws OutboundFailed */
async function readAccount(deps: Deps, did: DidString): Promise<void> {
  let left = maxLinks
  for (const query of queriesAbout(deps, did)) {
    left -= await readList(deps, query, left)
    if (left === 0) {
      deps.log.warn({ did, limit: maxLinks }, 'catch-up of backlinks ended: too many new links')
      return
    }
  }
}

/** The lists that concern an account. */
function queriesAbout({ store, now }: Deps, did: DidString): LinkQuery[] {
  const posts = keysSince(store, did, now().getTime() - recentMs, maxPosts)
  return [
    ...sourcesOfAccount.map((source) => ({ subject: did, source })),
    ...posts
      .map(({ collection, rkey }) => recordUri(did, collection, rkey))
      .flatMap((subject) => sourcesOfPost.map((source) => ({ subject, source }))),
  ]
}

/** Queues the links of a list that are not known, at most `limit`. @returns their number */
async function readList(deps: Deps, query: LinkQuery, limit: number): Promise<number> {
  let count = 0
  let cursor: string | undefined
  for (let pages = 0; pages < maxPages; pages++) {
    await deps.queue.hasRoom()
    const page = await deps.readLinks({ ...query, cursor })
    const links = page.links.filter((link) => isForeign(deps, query, link))
    const fresh = links.filter((link) => !deps.isKnown(link)).slice(0, limit - count)
    for (const link of fresh) deps.queue.add(link)
    count += fresh.length
    const last = links.at(-1)
    const isComplete = last === undefined ? page.links.length === 0 : !fresh.includes(last)
    if (isComplete || page.cursor === undefined || count >= limit) break
    cursor = page.cursor
  }
  return count
}

/** Whether a link is one of the list, by an author of another server. */
function isForeign({ isLocal }: Deps, { source }: LinkQuery, { did, collection }: Link): boolean {
  return collection === collectionOf(source) && !isLocal(did)
}
