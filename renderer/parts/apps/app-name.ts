/** The names of apps on the pages: their addresses, because an app can give itself any name. */
import { t } from '../../strings/en.ts'

interface RequestedApp {
  readonly client: string
  readonly isLocal: boolean
  readonly isFromHere: boolean
}

/** Returns the name of an app that asks to sign in. */
export function appName({ client, isLocal, isFromHere }: RequestedApp): string {
  if (!isLocal) return URL.parse(client)?.host ?? client
  return isFromHere ? t.authorize.here : t.authorize.elsewhere
}

/** Returns the name of an app that was allowed. @param client its client_id */
export function allowedAppName(client: string): string {
  const url = URL.parse(client)
  if (client.startsWith('https:')) return url?.host ?? client
  // Apps on loopback have no document: the address to which they return is their name.
  const target = URL.parse(url?.searchParams.get('redirect_uri') ?? 'http://127.0.0.1/')
  return target ? t.authorize.at(`${target.host}${target.pathname.replace(/\/$/, '')}`) : client
}
