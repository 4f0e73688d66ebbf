/**
 * The host name of this server as the handle of its owner: an identity without a domain of one's own.
 *
 * Its proof is as for other domains the file `/.well-known/atproto-did` (atproto handle specification), which this server answers
 * itself: while the proof runs for the account that asks, then for the account that has the handle.
 */
import { type HandleString, isValidHandle, isValidTld } from '@atproto/syntax'
import type { Config } from '../../platform/config/config.ts'
import { guardedFetch, OutboundFailed } from '../../platform/network/client.ts'
import { OutboundRefused } from '../../platform/network/guard.ts'
import { XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Account } from '../../store/tables/accounts.ts'

export interface HostHandle {
  /** Whether a name is the public host name. */
  isHost(name: string): boolean
  /**
   * Asks this server at its public address for the DID of its host name.
   * @throws XrpcError `InvalidHandle` with the reason, `HandleNotAvailable` for accounts other than the owner's
   */
  prove(account: Pick<Account, 'did' | 'isOwner'>, handle: HandleString): Promise<void>
  /** The account whose proof runs. */
  readonly claimant: string | undefined
}

interface Deps {
  readonly config: Pick<Config, 'publicUrl' | 'allowPrivateTargets'>
  readonly signal: AbortSignal
}

export function createHostHandle({ config, signal }: Deps): HostHandle {
  const url = config.publicUrl === undefined ? undefined : new URL(config.publicUrl)
  let claimant: string | undefined

  /** @throws OutboundFailed, OutboundRefused */
  async function askOurselves({ origin }: URL, did: string): Promise<string | undefined> {
    const { status, body } = await guardedFetch(`${origin}/.well-known/atproto-did`, {
      // A proxy or tunnel may have a private address on this machine.
      allowPrivate: true,
      maxBytes: 2_048,
      signal,
    })
    if (status !== 200) return `the address answers with status ${status}`
    return body.toString().trim() === did ? undefined : 'the address leads to another server'
  }

  return {
    isHost: (name) => name === url?.hostname,
    get claimant() {
      return claimant
    },
    async prove({ did, isOwner }, handle) {
      if (url === undefined) throw invalid(`${handle} is not the name of this server`)
      if (!isOwner) {
        throw new XrpcError(
          'HandleNotAvailable',
          'Only the owner of this server can have its name as a handle',
        )
      }
      if (!isValidHandle(handle) || !isValidTld(handle)) {
        throw invalid(`${handle} is not a public name, so it cannot be a handle`)
      }
      // Other servers ask the default port. Tests cannot have it.
      if ((url.protocol !== 'https:' || url.port !== '') && !config.allowPrivateTargets) {
        throw invalid(`Handles are looked up by https at port 443, and this server is at ${url.origin}`)
      }
      if (claimant !== undefined) throw invalid('Another check of this handle is running. Try again')
      claimant = did
      try {
        const problem = await askOurselves(url, did).catch((error: unknown) => {
          if (error instanceof OutboundFailed || error instanceof OutboundRefused) return error.message
          throw error
        })
        if (problem !== undefined) {
          throw invalid(`${url.origin} could not be checked: ${problem}. See the check on the Network screen`)
        }
      } finally {
        claimant = undefined
      }
    },
  }
}

const invalid = (message: string) => new XrpcError('InvalidHandle', message)
