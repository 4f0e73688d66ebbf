/** Images in the interface come from this server only, as its content security policy requires. */
import { com } from '../../lexicons/generated/index.ts'
import { endpoint } from './endpoint.ts'

/** The URL of a file of an account. @param preset the kind of thumbnail; the whole file when absent */
export function blobUrl(did: string, cid: string, preset?: string): string {
  const query = new URLSearchParams({ did, cid, ...(preset !== undefined && { preset }) })
  return `${endpoint}/xrpc/${com.core.sync.getBlob.$nsid}?${query}`
}

/** The URL of an image in a view, at the endpoint that this page uses. Undefined unless it is a file of this server. */
export function imageUrl(url: string | undefined): string | undefined {
  const { pathname, searchParams } = URL.parse(url ?? '') ?? {}
  const [did, cid, preset] = ['did', 'cid', 'preset'].map((name) => searchParams?.get(name) ?? undefined)
  return pathname?.endsWith('.sync.getBlob') && did && cid ? blobUrl(did, cid, preset) : undefined
}
