/**
 * `/.well-known/`: the DID document of this server (did:web method specification) and the DID of a handle (atproto handle
 * specification, "HTTPS well-known Method").
 *
 * The second is requested under the handle as host name, so its path accepts every name that is or could be a handle here. A
 * page that rebinds such a name to this machine can read only what resolveHandle returns to anyone.
 */
import type { DidString } from '@atproto/syntax'
import type { HostHandle } from '../../identity/accounts/host-handle.ts'
import { documentOfServer } from '../../identity/did/did-document.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Fallback } from '../../platform/xrpc/http.ts'
import { sendJson } from '../../platform/xrpc/send.ts'
import type { Reader } from '../../store/database.ts'
import { statusOf } from '../../store/tables/account-status.ts'
import { findByDid, findByHandle } from '../../store/tables/accounts.ts'

interface Deps extends Pick<Platform, 'store' | 'origin'> {
  readonly serverDid: DidString
  readonly hostHandle: HostHandle
}

const serverDocumentPath = '/.well-known/did.json'
const handlePath = '/.well-known/atproto-did'

/** Whether a request under an unknown host name is for the DID of that name as a handle. */
export function asksForHandle(
  { userDomains }: Pick<Config, 'userDomains'>,
  db: Reader,
  name: string,
  path: string,
): boolean {
  if (path !== handlePath) return false
  return userDomains.some((domain) => name.endsWith(domain)) || findByHandle(db, name) !== undefined
}

export function createWellKnown(services: Deps): Fallback {
  const { store } = services
  return async (req, res, path, name) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return false
    if (path === serverDocumentPath) {
      sendJson(req, res, 200, documentOfServer(services))
      return true
    }
    if (path !== handlePath) return false
    const { epoch } = store
    const account = findByHandle(store, name) ?? claimantOf(services, name)
    await store.settled(epoch)
    if (!account || statusOf(account) !== undefined) {
      sendJson(req, res, 404, { error: 'HandleNotFound', message: `No account here has the handle ${name}` })
      return true
    }
    res.setHeader('Content-Type', 'text/plain; charset=utf-8')
    res.setHeader('X-Content-Type-Options', 'nosniff')
    res.end(account.did)
    return true
  }
}

/** The account that asks for the host name of this server as its handle. */
function claimantOf({ hostHandle, store }: Deps, name: string) {
  const { claimant } = hostHandle
  return claimant !== undefined && hostHandle.isHost(name) ? findByDid(store, claimant) : undefined
}
