/** Calls of the hosts of remote actors, and of upstreams. */
import type { Config } from '../../platform/config/config.ts'
import type { FindAddresses } from '../../platform/network/names.ts'
import { createPeers, type Peer } from '../../platform/network/peer.ts'
import type { Platform } from '../../platform/platform.ts'

export interface Hosts {
  /** Returns the server at an origin. Errors of its calls: see `Peer`. */
  at(origin: string): Peer
}

interface Deps extends Pick<Platform, 'names' | 'signal'> {
  readonly config: Pick<Config, 'allowPrivateTargets'>
  /** Origins that the owner named, of upstreams and the app view: they may have private addresses and plain http. */
  readonly named: () => readonly string[]
  /** The look-up of other hosts. */
  readonly findAddresses?: FindAddresses
}

/** Connections to origins from documents and records are made only to public addresses. */
export function createHosts({ config, names, named, findAddresses, signal }: Deps): Hosts {
  const networkName = names.stored
  const guarded = createPeers({
    allowPrivate: config.allowPrivateTargets,
    networkName,
    findAddresses,
    signal,
  })
  const open = createPeers({ allowPrivate: true, networkName, signal })
  return { at: (origin) => (named().includes(origin) ? open : guarded).at(origin) }
}
