/** The screens and settings that were opened last from the palette, newest first. Kept in this browser. */
const storageKey = 'pds.palette.recent'
const kept = 5

export function recentIds(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []
  } catch {
    return []
  }
}

export function addRecent(id: string): void {
  const ids = [id, ...recentIds().filter((one) => one !== id)]
  localStorage.setItem(storageKey, JSON.stringify(ids.slice(0, kept)))
}
