import { desktop } from '../bridge.ts'

/** The origin of the server, without a trailing slash. */
export const endpoint = desktop?.endpoint ?? location.origin
