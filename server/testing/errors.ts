/** A network for tests has no such account, server, fault or snapshot. */
export class NotInNetwork extends Error {
  override readonly name = 'NotInNetwork'
}
