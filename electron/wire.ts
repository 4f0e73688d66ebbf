/** What travels between the preload script and the main process beneath the bridge. */
import type { DesktopBridge } from './bridge.ts'

/** Names of the channels. The preload script is loaded alone and repeats them; their types are these very words. */
export const wire = {
  initial: 'desktop:initial',
  call: 'desktop:call',
  event: 'desktop:event',
  sessions: 'desktop:sessions',
  unread: 'desktop:unread',
  unsaved: 'desktop:unsaved',
} as const

/** What a page needs before its first line runs. */
export type Initial = Pick<
  DesktopBridge,
  'endpoint' | 'version' | 'platform' | 'hasSource' | 'initialState'
> & {
  readonly sessions: string | null
}
