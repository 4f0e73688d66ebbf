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

/** A reset or restore of a network for tests has ended a call, which changes nothing of the state after it. */
export class NetworkRestored extends Error {
  override readonly name = 'NetworkRestored'

  constructor() {
    super('The network was reset or restored before this call ended: await each call first.')
  }
}

/** Returns a server by its position. @throws NotInNetwork */
export function serverAt<T>(servers: readonly T[], index: number): T {
  const found = Number.isInteger(index) ? servers[index] : undefined
  if (found !== undefined) return found
  throw new NotInNetwork(`The network has no server ${JSON.stringify(index)}, only ${servers.length}.`)
}

/** Checks what plain JavaScript gives: a misspelled member would have no effect. @throws TypeError */
export function checkMembers(what: string, given: object, names: readonly string[]): void {
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`Give ${what} as an object: ${names.join(', ')}.`)
  for (const name of Object.keys(given))
    if (!names.includes(name)) throw new TypeError(`${name} is no member of ${what}: ${names.join(', ')}.`)
}

/** A server of the network has refused a call. */
export class NetworkCallFailed extends Error {
  override readonly name = 'NetworkCallFailed'
  readonly status: number
  readonly error: string

  constructor(
    nsid: string,
    status: number,
    { error = '', message = '' }: { error?: string; message?: string },
  ) {
    super(`${nsid}: ${message || error} (${status} ${error})`)
    this.status = status
    this.error = error
  }
}
