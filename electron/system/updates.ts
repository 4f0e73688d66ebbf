/** Whether there is a newer version of the program. */
import { version } from '../../server/platform/config/version.ts'
import { args } from '../ground/arguments.ts'
import type { UpdateState } from '../ground/bridge.ts'
import { type CallsOf, call } from '../ground/calls.ts'
import { releaseFeed } from '../ground/project.ts'
import { checkForUpdates } from './update-check.ts'

export interface Updates {
  readonly calls: CallsOf<'updates'>
  check(): Promise<UpdateState>
  /** The newer version that the last check found. */
  readonly newer: Extract<UpdateState, { kind: 'available' }> | undefined
}

export function setupUpdates(): Updates {
  let last: UpdateState | undefined
  const check = async () => {
    last = await checkForUpdates({ feed: releaseFeed, current: version })
    return last
  }
  return {
    calls: { 'updates.check': call(args(), check) },
    check,
    get newer() {
      return last?.kind === 'available' ? last : undefined
    },
  }
}
