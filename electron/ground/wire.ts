/** Channels and data between the preload script and the main process, beneath the bridge. */
import type { DesktopBridge } from './bridge.ts'

/** Channel names. The preload script cannot import this file and repeats them; the type checks that they are equal. */
export const wire = {
  initial: 'desktop:initial',
  call: 'desktop:call',
  event: 'desktop:event',
  sessions: 'desktop:sessions',
  scroll: 'desktop:scroll',
  unsaved: 'desktop:unsaved',
  held: 'desktop:held',
} as const

/** Values that the page needs before its first line runs. */
export type Initial = Pick<
  DesktopBridge,
  'endpoint' | 'version' | 'platform' | 'hasSource' | 'initialState' | 'initialScroll'
> & {
  readonly sessions: string | null
}
