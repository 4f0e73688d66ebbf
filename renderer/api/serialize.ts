const last = new Map<string, Promise<unknown>>()

/** Runs one call at a time per name, in this tab. A failure does not stop those that wait. */
export function serialize<T>(name: string, work: () => Promise<T>): Promise<T> {
  const before = last.get(name) ?? Promise.resolve()
  const result = before.then(work, work)
  last.set(name, result)
  return result
}
