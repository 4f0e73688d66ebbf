/** What loading a world needs, from servers of tests with one clock. */
import type { CallOptions, WorldDeps } from '../../../server/testing/worlds/worlds.ts'
import { adminAuth, type TestServer } from './server.ts'

export interface TracedDeps extends Required<Omit<WorldDeps, 'readsFiles'>> {
  /** The NSIDs of all calls. */
  readonly calls: string[]
}

/** The clock of the first server counts. */
export function worldDeps(servers: readonly TestServer[]): TracedDeps {
  const calls: string[] = []
  const [first] = servers
  const of = (index: number): TestServer => {
    const server = servers[index]
    if (!server) throw new Error(`there is no server ${index}`)
    return server
  }
  async function call(
    index: number,
    nsid: string,
    { input, bytes, type, token, client, method }: CallOptions,
    auth = token && `Bearer ${token}`,
  ) {
    calls.push(nsid)
    const content = bytes ? Buffer.from(bytes) : input === undefined ? undefined : JSON.stringify(input)
    const answer = await of(index).fetch(`/xrpc/${nsid}`, {
      method: method ?? (content === undefined ? 'GET' : 'POST'),
      headers: {
        ...(auth && { authorization: auth }),
        ...(client !== undefined && { 'user-agent': client }),
        ...(content !== undefined && { 'content-type': type ?? 'application/json' }),
      },
      ...(content !== undefined && { body: content }),
    })
    if (answer.status !== 200) throw new Error(`${nsid}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  return {
    calls,
    call: (index, nsid, options) => call(index, nsid, options),
    admin: (index, nsid, input) => call(index, nsid, { input }, adminAuth),
    now: () => of(0).clock.now(),
    async passUntil(at) {
      for (const server of servers) await server.elapse(at.getTime() - (first?.clock.now().getTime() ?? 0))
    },
    code: (index, email) => of(index).codeTo(email),
  }
}
