/**
 * Statements of servers about the status of an actor. Its host decides. But where only operations prove an identity, whichever server
 * mentioned it first counts as its host, so such an actor is inactive only if no upstream that has its operations serves it as active:
 * that upstream becomes the host. A copy of an account can thus keep public records here that their author wanted deleted, but it
 * cannot silence anyone.
 */
import { UnresolvableDid } from '../../identity/did/resolver.ts'
import { OutboundFailed } from '../../platform/network/client.ts'
import { OutboundRefused } from '../../platform/network/guard.ts'
import type { PeerCall } from '../../platform/network/peer.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Hosts } from './hosts.ts'
import { type RemoteStatus, remoteStatusOf } from './remote-status.ts'

export interface StatusClaims {
  /**
   * Returns the status of an actor after its host has claimed one. @param claimed undefined: active
   * @throws UnresolvableDid
   */
  settle(did: string, claimed: RemoteStatus | undefined): Promise<RemoteStatus | undefined>
  /** Asks the host, and stores its answer. @throws UnresolvableDid, OutboundFailed, OutboundRefused, or the error of the host */
  ask(did: string, host: string): Promise<RemoteStatus | undefined>
  /**
   * Whether another upstream serves an actor whose host does not. If so, that one is the host from now on.
   * @throws UnresolvableDid
   */
  isActiveElsewhere(did: string): Promise<boolean>
}

interface Deps {
  readonly actors: {
    identify(
      did: string,
      options: { readonly maxAgeMs: number },
    ): Promise<{ readonly host: string; readonly isSelfProven: boolean }>
    rehost(did: string, origin: string): Promise<boolean>
  }
  readonly hosts: Hosts
  /** Origins of the upstreams. */
  readonly upstreams: () => readonly string[]
}

/** Milliseconds in which other upstreams must answer. */
const timeoutMs = 10_000

export function createStatusClaims({ actors, hosts, upstreams }: Deps): StatusClaims {
  async function statusAt(
    origin: string,
    did: string,
    limits: PeerCall = {},
  ): Promise<RemoteStatus | undefined> {
    const query = new URLSearchParams({ did }).toString()
    const answer = await hosts.at(origin).get('com.core.sync.getRepoStatus', { query, ...limits })
    return answer.active === true ? undefined : remoteStatusOf(answer.status)
  }

  async function isActiveAt(origin: string, did: string): Promise<boolean> {
    try {
      return (await statusAt(origin, did, { timeoutMs })) === undefined
    } catch (error) {
      const kinds = [XrpcError, OutboundFailed, OutboundRefused]
      if (kinds.some((kind) => error instanceof kind)) return false
      throw error
    }
  }

  async function isActiveElsewhere(did: string): Promise<boolean> {
    const known = await actors
      .identify(did, { maxAgeMs: Number.POSITIVE_INFINITY })
      .catch((error: unknown) => {
        if (error instanceof UnresolvableDid && !error.isOutage) return undefined
        throw error
      })
    if (!known?.isSelfProven) return false
    const others = upstreams().filter((origin) => origin !== known.host)
    const answers = await Promise.all(others.map((origin) => isActiveAt(origin, did)))
    for (const origin of others.filter((_, at) => answers[at])) {
      if (await actors.rehost(did, origin)) return true
    }
    return false
  }

  async function settle(did: string, claimed: RemoteStatus | undefined): Promise<RemoteStatus | undefined> {
    return claimed === undefined || (await isActiveElsewhere(did)) ? undefined : claimed
  }

  return {
    settle,
    isActiveElsewhere,
    async ask(did, host) {
      try {
        return await settle(did, await statusAt(host, did))
      } catch (error) {
        const isMissing = error instanceof XrpcError && error.name === 'RepoNotFound'
        if (isMissing && (await isActiveElsewhere(did))) return undefined
        throw error
      }
    },
  }
}
