/** Whether there is a newer version of the program. */
import { version } from '../../server/platform/config/version.ts'
import type { UpdateState } from '../ground/bridge.ts'
import { releaseFeed } from '../ground/project.ts'
import { checkForUpdates } from './update-check.ts'

export interface Updates {
  check(): Promise<UpdateState>
  /** The newer version that the last check found. */
  readonly newer: Extract<UpdateState, { kind: 'available' }> | undefined
}

export function setupUpdates(): Updates {
  let last: UpdateState | undefined
  return {
    async check() {
      last = await checkForUpdates({ feed: releaseFeed, current: version })
      return last
    },
    get newer() {
      return last?.kind === 'available' ? last : undefined
    },
  }
}
