/**
 * Other names for our namespaces. Clients of the network know them by their own authority; the table maps it onto ours.
 */

/** From an authority to the one that this server implements, both as NSID prefixes without a trailing dot. */
export type Aliases = ReadonlyMap<string, string>

export const defaultAliases: Aliases = new Map([
  ['com.atproto', 'com.core'],
  ['app.bsky', 'app.example'],
  ['chat.bsky', 'chat.example'],
])

/** The name under which this server knows a method or collection. */
export function canonicalNsid(nsid: string, aliases: Aliases): string {
  for (const [alias, authority] of aliases) {
    if (nsid.toLowerCase().startsWith(`${alias}.`)) return authority + nsid.slice(alias.length)
  }
  return nsid
}
