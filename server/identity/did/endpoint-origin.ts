/**
 * Returns the origin of a server's endpoint in a document or operation; undefined if it is no http(s) URL. Owners and other servers
 * write endpoints with a slash at the end, upper-case hosts or the default port: compare origins, never texts.
 */
export function endpointOrigin(endpoint: string): string | undefined {
  const url = URL.parse(endpoint)
  return url && /^https?:$/.test(url.protocol) ? url.origin : undefined
}
