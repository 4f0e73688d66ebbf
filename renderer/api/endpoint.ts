import { desktop } from '../bridge.ts'

/** The origin of the server, without a trailing slash. */
export const endpoint = desktop?.endpoint ?? location.origin

/** Whether the page is on the computer of the server: in the app window, or at a loopback address. */
export const isAtServer =
  desktop !== undefined || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(location.hostname)
