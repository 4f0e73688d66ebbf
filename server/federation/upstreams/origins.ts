/** The origins of the upstreams, which each written record asks for. */
import type { Database } from '../../store/database.ts'
import { all } from '../tables/upstreams.ts'

/** Returns a function that returns them as the store has them. */
export function createUpstreamOrigins(
  store: Pick<Database, 'all' | 'get' | 'version'>,
): () => readonly string[] {
  let version: number | undefined
  let origins: readonly string[] = []
  return () => {
    if (version === store.version('upstreams')) return origins
    version = store.version('upstreams')
    origins = all(store).map(({ url }) => url)
    return origins
  }
}
