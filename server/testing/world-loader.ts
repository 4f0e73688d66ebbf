/** Loads worlds into the servers of a network for tests, by calls of clients. */
import type { Accounts } from './accounts.ts'
import { call } from './call.ts'
import type { Host } from './host.ts'
import { codeTo } from './messages.ts'
import {
  beginOf,
  createSample,
  friends,
  type LoadedWorld,
  loadWorld,
  readWorld,
  type World,
  type WorldDeps,
} from './worlds/worlds.ts'

/** A world, the path of its file, or the name of one that is built in: `sample` or `friends`. */
export type WorldSource = World | string

interface Deps {
  readonly hosts: readonly Host[]
  readonly accounts: Pick<Accounts, 'add'>
  readonly now: () => Date
  /** Lets time pass, for a world that ends at the present of the network. */
  readonly passUntil?: (at: Date) => Promise<void>
  /** Whether its pictures may be files. True by default. */
  readonly readsFiles?: boolean
}

/** @throws WorldError with the line of each error, or if the file cannot be read */
export async function openWorld(source: WorldSource): Promise<World> {
  if (source === 'sample') return createSample()
  if (source === 'friends') return friends
  return typeof source === 'string' ? readWorld(source) : source
}

export { beginOf }

/** @param end the present of the world @throws as `loadWorld` */
export async function fillNetwork(world: World, deps: Deps, end: Date): Promise<LoadedWorld> {
  const loaded = await loadWorld(world, worldDeps(deps), end)
  for (const account of Object.values(loaded.accounts)) deps.accounts.add(account)
  return loaded
}

function worldDeps({ hosts, now, passUntil, readsFiles = true }: Deps): WorldDeps {
  const hostAt = (index: number): Host => {
    const host = hosts[index]
    if (!host) throw new Error(`the network has no server ${index}, only ${hosts.length}`)
    return host
  }
  return {
    call: (server, nsid, options) => call(hostAt(server).url, nsid, options),
    admin(server, nsid, input) {
      const { url, adminPassword } = hostAt(server)
      return call(url, nsid, { input, adminPassword })
    },
    code: async (server, email) => codeTo(hostAt(server), email),
    ...{ now, readsFiles },
    ...(passUntil && { passUntil }),
  }
}
