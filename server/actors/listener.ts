/** Learns of actors of other servers when records are written: authors of other servers, and whom accounts here follow. */
import type { RecordListener } from '../records/events.ts'
import type { Actors } from './actors.ts'
import type { ActorRefresh } from './refresh.ts'

interface Deps {
  readonly actors: Pick<Actors, 'keep'>
  readonly refresh: Pick<ActorRefresh, 'refreshDids'>
}

const followCollection = 'app.example.graph.follow'

export function createActorListener({ actors, refresh }: Deps): RecordListener {
  return {
    recordCreated(tx, { did, collection, links }) {
      const subjects = collection === followCollection ? links.map((link) => link.did) : []
      const dids = new Set([did, ...subjects])
      for (const each of dids) actors.keep(tx, each)
      return () => refresh.refreshDids(dids)
    },
    recordUpdated: () => undefined,
    recordDeleted: () => undefined,
  }
}
