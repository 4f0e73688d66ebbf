/** Friends as the methods return them. */
import type { UriString } from '@atproto/lex-schema'
import type { com } from '../../../lexicons/generated/index.ts'
import type { Computer } from './discovery.ts'
import type { Pairing } from './friends.ts'

export function computerView({ url, ...computer }: Computer): com.core.friend.listNearby.Computer {
  return { ...computer, url: url as UriString }
}

export function pairingView({ other, url, ...pairing }: Pairing): com.core.friend.defs.Pairing {
  const { did, handle, name } = other
  return {
    ...pairing,
    ...{ did, handle, name },
    url: url as UriString,
  }
}
