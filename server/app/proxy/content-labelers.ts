/**
 * The headers `atproto-accept-labelers` and `atproto-content-labelers`: the labelers whose labels a client asks for, and those whose labels
 * an answer has. Answers of this server have self-labels and, of the labelers, only its own labels.
 */
import { isValidDid } from '@atproto/syntax'

const viewMethods = 'app.example.'

/** Returns the headers of the answer to a query. @param accepted value of the request's header */
export function labelerHeaders(
  nsid: string,
  accepted: string | undefined,
  serverDid: string,
): Readonly<Record<string, string>> {
  if (!nsid.startsWith(viewMethods)) return {}
  const wanted = accepted === undefined ? undefined : parseLabelers(accepted)
  // As for every labeler that a service applies unless the client names others.
  const redacts = wanted ? wanted.get(serverDid) : true
  const own = redacts === undefined ? '' : `${serverDid}${redacts ? ';redact' : ''}`
  return { 'Atproto-Content-Labelers': own }
}

/** A member of a list: a token or a string, and its parameters. */
const member = /^("?)([^\s";,]+)\1((?:\s*;\s*[a-z*][\w.*-]*(?:=[^\s;,]+)?)*)$/
const redactParameter = /;\s*redact(?:=\?1)?\s*(?:;|$)/

/**
 * Parses a list of DIDs (RFC 9651) with the parameter `redact`.
 * @returns the DIDs, and whether their takedowns are applied; undefined if it is malformed
 */
function parseLabelers(header: string): ReadonlyMap<string, boolean> | undefined {
  const labelers = new Map<string, boolean>()
  if (header.trim() === '') return labelers
  for (const text of header.split(',')) {
    const [, , did = '', parameters = ''] = member.exec(text.trim()) ?? []
    if (!isValidDid(did)) return undefined
    labelers.set(did, labelers.get(did) === true || redactParameter.test(parameters))
  }
  return labelers
}
