/** The errors that clients get when this server is short of disk, memory, threads, or places in a queue. */
import { PasswordQueueFull } from '../identity/auth/passwords.ts'
import { protocolError, type XrpcError } from '../platform/xrpc/xrpc-errors.ts'
import {
  StoreContinued,
  StoreDamaged,
  StoreFull,
  StoreLockLost,
  StoreUnavailable,
} from '../store/files/store-errors.ts'
import { TooManyLookups } from '../util/shared-lookup.ts'
import { NoThread } from '../util/worker-or-inline.ts'

/** Maps resource errors of lower layers to XRPC errors. */
export function resourceError(error: unknown): XrpcError | undefined {
  const message = resourceMessage(error)
  return message === undefined ? undefined : protocolError('NotEnoughResources', message)
}

function resourceMessage(error: unknown): string | undefined {
  if (error instanceof StoreLockLost)
    return 'This server has lost the lock of its data folder and stops. Try again after its owner has started it again.'
  if (error instanceof StoreUnavailable)
    return 'The server cannot use its disk at the moment. Try again later.'
  if (error instanceof StoreFull || error instanceof StoreContinued) return error.message
  if (error instanceof StoreDamaged)
    return 'This request needs data that are damaged on the disk of the server. Other requests work. The owner of the server can restore a backup.'
  if (error instanceof TooManyLookups)
    return 'Too many look-ups at other servers are under way. Try again in a few seconds.'
  if (error instanceof PasswordQueueFull)
    return 'Too many passwords are being checked. Try again in a few seconds.'
  if (error instanceof NoThread)
    return 'The server has too little memory or too many open files at the moment. Try again in a few seconds.'
  return undefined
}
