/** Ends requests to a place when they are aborted, although the place never answers: a folder may be on a disk that hangs. */
import { untilAborted } from '../../../platform/util/until-aborted.ts'
import { type Place, PlaceProblem } from './place.ts'

export function abortable(place: Place, signal: AbortSignal): Place {
  const request = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await untilAborted(work, signal)
    } catch (error) {
      if (!signal.aborted) throw error
      throw new PlaceProblem('unreachable', 'The server was stopped.', { cause: error })
    }
  }
  return {
    list: (folder) => request(() => place.list(folder)),
    get: (name) => request(() => place.get(name)),
    size: (name) => request(() => place.size(name)),
    put: (name, bytes) => request(() => place.put(name, bytes)),
    remove: (name) => request(() => place.remove(name)),
  }
}
