/** Waits for background work of a server. */
import type { TestServer } from './server.ts'

/** Resolves when `isSo` resolves with true; it is asked again after each change of the store. */
export async function until(server: TestServer, isSo: () => boolean | Promise<boolean>): Promise<void> {
  let changed = Promise.withResolvers<void>()
  const stop = server.running.services.store.watch('all', () => {
    changed.resolve()
    changed = Promise.withResolvers()
  })
  try {
    for (let next = changed.promise; !(await isSo()); next = changed.promise) await next
  } finally {
    stop()
  }
}
