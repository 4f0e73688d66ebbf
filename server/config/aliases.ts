/**
 * Aliases of our namespaces. Clients of the network use the network's own authorities for methods and records; the table maps
 * them to ours. A setting replaces or empties it.
 */

/** Maps an authority (the first two segments of an NSID, in lower case) to the one that this server implements. */
export type Aliases = ReadonlyMap<string, string>

/** Replaces an alias in an NSID by our own authority; returns other NSIDs unchanged. */
export function canonicalNsid(nsid: string, aliases: Aliases): string {
  const end = nsid.indexOf('.', nsid.indexOf('.') + 1)
  // An authority is a domain name, which is case-insensitive.
  const authority = end < 0 ? undefined : aliases.get(nsid.slice(0, end).toLowerCase())
  return authority === undefined ? nsid : authority + nsid.slice(end)
}

/**
 * Returns the function that maps `$type`s of a response to the names that the caller uses. Undefined if the method was called by
 * our own name.
 */
export function callerNames(called: string, aliases: Aliases): ((type: string) => string) | undefined {
  if (canonicalNsid(called, aliases) === called) return undefined
  const names = new Map<string, string>()
  for (const [alias, own] of aliases) {
    if (!names.has(own) || called.startsWith(`${alias}.`)) names.set(own, alias)
  }
  return (type) => canonicalNsid(type, names)
}

/** Returns the function that maps our names to those of the network; other servers know only these. */
export function networkNames(aliases: Aliases): (nsid: string) => string {
  const names = new Map<string, string>()
  for (const [alias, own] of aliases) if (!names.has(own)) names.set(own, alias)
  return (nsid) => canonicalNsid(nsid, names)
}

/** Returns the names under which records of a collection may be stored: the NSID first, then its aliases. */
export function namesOf(nsid: string, aliases: Aliases): string[] {
  const names = [nsid]
  for (const [alias, authority] of aliases) {
    if (nsid.startsWith(`${authority}.`)) names.push(alias + nsid.slice(authority.length))
  }
  return names
}

/** Returns all names of a collection, beginning with the given one, which may be an alias. */
export function allNamesOf<Name extends string>(name: Name, aliases: Aliases): Name[] {
  return [...new Set([name, ...(namesOf(canonicalNsid(name, aliases), aliases) as Name[])])]
}
