import { allowedAppName } from '../../parts/apps/app-name.ts'
import { t } from '../../strings/en.ts'
import type { InspectedRequest } from './inspected-request.ts'

export interface Filter {
  /** Part of the name of the method. */
  readonly method: string
  /** A DID; empty for all requests, `none` for those of no account. */
  readonly account: string
  /** As `appOf`; empty: all, except for this interface. */
  readonly app: string
  readonly status: keyof typeof t.requests.status
}

export const noFilter: Filter = { method: '', account: '', app: '', status: 'any' }

export function matches(request: InspectedRequest, { method, account, app, status }: Filter): boolean {
  if (!request.path.toLowerCase().includes(method.trim().toLowerCase())) return false
  if (account !== '' && (request.did ?? 'none') !== account) return false
  if (app === '' ? request.ownPage : appOf(request) !== app) return false
  return status === 'any' || outcomeOf(request) === status
}

/** How a request ended. One that the client cancelled counts as refused by neither side. */
export function outcomeOf({ status, error }: InspectedRequest): Exclude<Filter['status'], 'any'> | undefined {
  if (status === undefined) return undefined
  if (status >= 500) return 'failed'
  return status >= 400 || error !== undefined ? 'refused' : 'succeeded'
}

/** The name of the app that sent a request, or of its program. */
export function appOf({ ownPage, openedWith, app, client, origin }: InspectedRequest): string {
  if (ownPage) return t.requests.ownPage
  if (app !== undefined) return openedWith === 'oauth' ? allowedAppName(app) : app
  const program = client?.split(/[\s/(]/)[0]
  // All browsers have this name.
  if (origin !== undefined && (!program || program === 'Mozilla')) return origin
  return program || t.requests.unknownApp
}

/** The method as the client named it, or the path of another endpoint. */
export function methodOf({ path }: InspectedRequest): string {
  return path.replace(/^\/xrpc\//, '')
}

/** The accounts and apps of some requests, each with the choice of all. */
export function choicesOf(requests: readonly InspectedRequest[]) {
  const accounts: Record<string, string> = { '': t.requests.anyAccount }
  const apps: Record<string, string> = { '': t.requests.anyApp, [t.requests.ownPage]: t.requests.ownPage }
  for (const request of requests) {
    accounts[request.did ?? 'none'] = request.did ? (request.handle ?? request.did) : t.requests.noAccount
    const app = appOf(request)
    apps[app] = app
  }
  return { accounts, apps }
}
