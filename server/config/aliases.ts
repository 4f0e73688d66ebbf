/**
 * Other names for our namespaces. Clients of the network know methods and records by the network's own authorities; the
 * table maps these onto ours. It is data: a setting replaces or empties it.
 */

/** From an authority, as two segments of an NSID in lower case, to the one that this server implements. */
export type Aliases = ReadonlyMap<string, string>

/** The name under which this server knows a method or collection; an NSID without an alias is its own. */
export function canonicalNsid(nsid: string, aliases: Aliases): string {
  const end = nsid.indexOf('.', nsid.indexOf('.') + 1)
  // Letter case does not matter in an authority, which is a domain name.
  const authority = end < 0 ? undefined : aliases.get(nsid.slice(0, end).toLowerCase())
  return authority === undefined ? nsid : authority + nsid.slice(end)
}

/** Every name under which records of a collection may be stored: ours first, then its aliases. */
export function namesOf(nsid: string, aliases: Aliases): string[] {
  const names = [nsid]
  for (const [alias, authority] of aliases) {
    if (nsid.startsWith(`${authority}.`)) names.push(alias + nsid.slice(authority.length))
  }
  return names
}
