/** Looks whether there is a newer version, and tells. It never downloads or runs anything. */
import type { UpdateState } from './bridge.ts'

const waitMs = 10_000
const mostBytes = 512 * 1024

export interface UpdateCheck {
  /** Address of the newest release, as GitHub describes it; undefined where a build does not name its project. */
  readonly feed: URL | undefined
  readonly current: string
  readonly now?: () => Date
}

/** @returns `unknown` whenever the answer is not clear: without a network that is no failure */
export async function checkForUpdates({
  feed,
  current,
  now = () => new Date(),
}: UpdateCheck): Promise<UpdateState> {
  if (!feed) return { kind: 'unknown', message: 'This build does not say where its releases are.' }
  try {
    const { tag_name: tag, html_url: page } = await readJson(feed)
    const version = /^v?(\d+\.\d+\.\d+)$/.exec(String(tag))?.[1]
    const address = URL.parse(String(page))
    // A page to open is one of the web, whatever the answer says.
    if (!version || address?.protocol !== 'https:') throw new Error('the answer is not a release')
    const checkedAt = now().toISOString()
    return isNewer(version, current)
      ? { kind: 'available', version, page: address.href, checkedAt }
      : { kind: 'current', checkedAt }
  } catch (error) {
    return { kind: 'unknown', message: `The releases cannot be looked at: ${messageOf(error)}` }
  }
}

async function readJson(url: URL): Promise<Record<string, unknown>> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(waitMs), redirect: 'error' })
  if (!answer.ok) throw new Error(`the answer was ${answer.status}`)
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of answer.body ?? []) {
    bytes += part.length
    if (bytes > mostBytes) throw new Error('the answer is too long')
    parts.push(part)
  }
  return JSON.parse(Buffer.concat(parts).toString())
}

/** Plain versions of three numbers; what follows a dash is left out. */
export function isNewer(version: string, current: string): boolean {
  const [theirs, ours] = [version, current].map((text) => text.split('-')[0]?.split('.').map(Number) ?? [])
  const place = [0, 1, 2].find((one) => theirs?.[one] !== ours?.[one])
  return place !== undefined && (theirs?.[place] ?? 0) > (ours?.[place] ?? 0)
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
