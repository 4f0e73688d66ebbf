/** Checks for a newer version. It never downloads or runs anything. */
import { guardedFetch } from '../../server/platform/network/client.ts'
import type { UpdateState } from '../ground/bridge.ts'

const timeoutMs = 10_000
const maxBytes = 512 * 1024

export interface UpdateCheck {
  /** URL of the newest release in GitHub's API; undefined in a build without a repository on GitHub. */
  readonly feed: URL | undefined
  readonly current: string
  readonly now?: () => Date
}

/** @returns `unknown` if there is no valid response: being offline is normal */
export async function checkForUpdates({
  feed,
  current,
  now = () => new Date(),
}: UpdateCheck): Promise<UpdateState> {
  if (!feed) return { kind: 'unknown', message: 'This build has no release page.' }
  try {
    const { tag_name: tag, html_url: page } = await readJson(feed)
    const version = /^v?(\d+\.\d+\.\d+)$/.exec(String(tag))?.[1]
    const address = URL.parse(String(page))
    // The response decides which page is opened, so only https is accepted.
    if (!version || address?.protocol !== 'https:') throw new Error('the response is not a release')
    const checkedAt = now().toISOString()
    return isNewer(version, current)
      ? { kind: 'available', version, page: address.href, checkedAt }
      : { kind: 'current', checkedAt }
  } catch (error) {
    return { kind: 'unknown', message: `Checking for updates failed: ${messageOf(error)}` }
  }
}

async function readJson(url: URL): Promise<Record<string, unknown>> {
  // GitHub refuses requests without a User-Agent. The build names the feed, so it may have a private address.
  const options = { headers: { 'user-agent': 'node' }, allowPrivate: true, timeoutMs, maxBytes }
  const { status, body } = await guardedFetch(url.href, options)
  if (status !== 200) throw new Error(`the response was ${status}`)
  return JSON.parse(body.toString())
}

/** Compares versions of three numbers. A pre-release suffix is ignored. */
export function isNewer(version: string, current: string): boolean {
  const [theirs, ours] = [version, current].map((text) => text.split('-')[0]?.split('.').map(Number) ?? [])
  const index = [0, 1, 2].find((one) => theirs?.[one] !== ours?.[one])
  return index !== undefined && (theirs?.[index] ?? 0) > (ours?.[index] ?? 0)
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
