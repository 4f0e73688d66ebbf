/** Learns of actors of other servers when records are written: authors of other servers, and whom accounts here follow. */

import { collections } from '../../platform/config/nsids.ts'
import type { RecordListener } from '../../repository/records/record-events.ts'
import type { Filter } from '../remote/filter/filter.ts'
import type { Actors } from './actors.ts'

interface Deps {
  readonly actors: Pick<Actors, 'keep' | 'requestRefresh'>
  readonly filter: Pick<Filter, 'isLocal'>
}

export function createActorListener({ actors, filter }: Deps): RecordListener {
  return {
    recordCreated(tx, { did, collection, links }) {
      const subjects = collection === collections.follow ? links.map((link) => link.did) : []
      const remote = [did, ...subjects].filter((each) => !filter.isLocal(each))
      for (const each of remote) actors.keep(tx, each)
      return remote.length > 0 ? () => actors.requestRefresh(remote) : undefined
    },
    recordUpdated: () => undefined,
    recordDeleted: () => undefined,
  }
}
