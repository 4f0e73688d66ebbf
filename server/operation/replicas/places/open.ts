/** Opens places by their URL. */
import { fileURLToPath } from 'node:url'
import { pause, realElapsed } from '../../../util/deadlines.ts'
import { untilAborted } from '../../../util/until-aborted.ts'
import { folderPlace } from './folder.ts'
import { type Place, type PlaceOptions, PlaceProblem } from './place.ts'

/** @throws PlaceProblem `invalid` */
export async function openPlace(url: string, options: PlaceOptions = {}): Promise<Place> {
  const place = await open(url, options)
  return options.bandwidth === undefined ? place : slowed(place, options.bandwidth, options.signal)
}

async function open(url: string, options: PlaceOptions): Promise<Place> {
  const { protocol } = new URL(url)
  if (protocol === 'file:') return folderPlace(fileURLToPath(url))
  if (/^webdav\+https?:$/.test(protocol)) return (await import('./webdav.ts')).webdavPlace(url, options)
  if (protocol === 's3:') return (await import('./s3.ts')).s3Place(url, options)
  throw new PlaceProblem('invalid', `There are no places with ${protocol}//.`)
}

/** Ends requests when they are aborted, although the place never answers: a folder may be on a disk that hangs. */
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

/** Waits after each object for as long as it may take. */
function slowed(place: Place, bandwidth: number, signal?: AbortSignal): Place {
  return {
    ...place,
    async put(name, bytes) {
      const started = realElapsed()
      await place.put(name, bytes)
      const due = started + (bytes.length / bandwidth) * 1000
      await pause(Math.max(0, due - realElapsed()), { signal })
    },
  }
}
