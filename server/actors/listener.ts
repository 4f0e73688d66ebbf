/** Learns of actors of other servers when records are written: authors of other servers, and whom accounts here follow. */
import type { RecordListener } from '../records/events.ts'
import type { Actors } from './actors.ts'

interface Deps {
  readonly actors: Pick<Actors, 'keep'>
  /** Called when the record is on disk. */
  readonly refreshDids: (dids: Iterable<string>) => void
}

const followCollection = 'app.example.graph.follow'

export function createActorListener({ actors, refreshDids }: Deps): RecordListener {
  return {
    recordCreated(tx, { did, collection, links }) {
      const subjects = collection === followCollection ? links.map((link) => link.did) : []
      const dids = new Set([did, ...subjects])
      for (const each of dids) actors.keep(tx, each)
      return () => refreshDids(dids)
    },
    recordUpdated: () => undefined,
    recordDeleted: () => undefined,
  }
}
