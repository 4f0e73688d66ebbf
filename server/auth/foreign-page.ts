/** What a web page may not learn that its visitor did not hand over: who lives on a private server. */
import type { Config } from '../config/config.ts'
import { protocolError } from '../xrpc/errors.ts'
import type { Caller } from '../xrpc/method.ts'

/**
 * Refuses pages of other sites while the server has no public address. For methods that list what lives here without
 * credentials: any page that the owner visits could read a private server otherwise.
 * @throws Forbidden
 */
export function refuseForeignPage(
  { isForeignPage }: Pick<Caller, 'isForeignPage'>,
  { publicUrl }: Pick<Config, 'publicUrl'>,
): void {
  if (!isForeignPage || publicUrl !== undefined) return
  throw protocolError('Forbidden', 'Pages of other sites cannot list what lives on this server')
}
