import { desktop } from '../bridge.ts'

/** Where the server is, without a trailing slash: in a browser, where this page came from. */
export const endpoint = desktop?.endpoint ?? location.origin
