/** Opens the URL that takes the answer to an app. */
import { callDesktop } from '../../api/desktop.ts'
import { desktop } from '../../bridge.ts'

/** In the app window it opens in the person's browser: the window never leaves its own pages. */
export async function openAnswer(location: string): Promise<void> {
  if (desktop) await callDesktop('app.openAnswer', location)
  else window.location.assign(location)
}
