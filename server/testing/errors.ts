/** A network for tests has no such account, server, fault or snapshot. */
export class NotInNetwork extends Error {
  override readonly name = 'NotInNetwork'
}

/** A server of a network for tests was killed. */
export class ServerNotRunning extends Error {
  override readonly name = 'ServerNotRunning'

  /** @param index position of the server @param event what failed, as a sentence */
  constructor(index: number, event?: string) {
    const state = `Server ${index + 1} of the network does not run: start it again by servers[${index}].restart().`
    super(event === undefined ? state : `${event} ${state}`)
  }
}
