/** The page stores its sessions as one text. The main process reads only the DIDs in it. */

/** Returns the DIDs of the signed-in accounts; none for an invalid text. */
export function signedIn(sessions: string | null): string[] {
  try {
    const list: unknown = JSON.parse(sessions ?? '[]')
    if (!Array.isArray(list)) return []
    return list.map((one: { did?: unknown } | null) => one?.did).filter((did) => typeof did === 'string')
  } catch {
    return []
  }
}
