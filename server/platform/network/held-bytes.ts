/**
 * The memory for answers of other services that clients have not read yet. Each account has a limit, and services that accounts name
 * cannot take the part of the app view: an account that requests large answers and leaves them unread delays only itself.
 */
import { XrpcError } from '../xrpc/xrpc-errors.ts'

/** Whose call an answer belongs to. */
export interface Holder {
  readonly account: string
  /** Whether the service is the app view of the configuration, and not one that the account named. */
  readonly isAppView: boolean
}

/** The memory of one answer. */
export interface Holding {
  /** Counts further bytes. @throws NotEnoughResources */
  add(bytes: number): void
  /** Releases all bytes. Further ones are not counted. */
  end(): void
}

/** Limits in bytes. */
const total = 64_000_000
const perAccount = 16_000_000
/** Bytes for all services that accounts name. */
const ofNamed = 32_000_000

/** Seconds after which a refused client may try again. */
const retryAfter = 5

/** Creates the count of one server. @returns a function that opens the memory of an answer */
export function createHeldBytes(): (holder: Holder) => Holding {
  const byAccount = new Map<string, number>()
  let all = 0
  let named = 0

  function count({ account, isAppView }: Holder, bytes: number): void {
    all += bytes
    if (!isAppView) named += bytes
    const own = (byAccount.get(account) ?? 0) + bytes
    if (own > 0) byAccount.set(account, own)
    else byAccount.delete(account)
  }

  function check({ account, isAppView }: Holder): void {
    if ((byAccount.get(account) ?? 0) > perAccount) {
      throw busy('Too many answers of other services to this account are unread')
    }
    if (all > total || (!isAppView && named > ofNamed)) {
      throw busy('Too many answers of other services are under way')
    }
  }

  return (holder) => {
    let own = 0
    let isOpen = true
    return {
      add(bytes) {
        if (!isOpen) return
        own += bytes
        count(holder, bytes)
        check(holder)
      },
      end() {
        isOpen = false
        count(holder, -own)
        own = 0
      },
    }
  }
}

function busy(message: string): XrpcError {
  return new XrpcError('NotEnoughResources', message, { retryAfter })
}
