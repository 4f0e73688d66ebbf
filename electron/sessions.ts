/** The sessions that the page keeps are one text that it alone understands, but for which accounts they belong to. */

/** DIDs of the accounts that are signed in. */
export function signedIn(sessions: string | null): string[] {
  try {
    const list: unknown = JSON.parse(sessions ?? '[]')
    if (!Array.isArray(list)) return []
    return list.map((one: { did?: unknown } | null) => one?.did).filter((did) => typeof did === 'string')
  } catch {
    return []
  }
}
