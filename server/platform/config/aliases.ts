/**
 * Two vocabularies of NSIDs: ours, in which lexicons and logic are written, and the network's, in which records are stored. A
 * setting maps the network's authorities to ours; without it, our names are the only ones.
 */

/** Maps an authority (the first two segments of an NSID, in lower case) to the one that this server implements. */
export type Aliases = ReadonlyMap<string, string>

/** Returns another name of an NSID, or of a definition; other strings unchanged. */
export type RenameNsid = <Nsid extends string>(nsid: Nsid) => Nsid

export interface Names {
  /** Returns our name. */
  readonly own: RenameNsid
  /** Returns the name under which records are stored and other servers are called: the network's, by the first alias. */
  readonly stored: RenameNsid
  /**
   * Returns the function that maps any name to the vocabulary of a caller; undefined without aliases.
   * @param used NSIDs that the caller used. The first one that differs between the vocabularies decides
   */
  callerName(...used: readonly string[]): RenameNsid | undefined
}

export function createNames(aliases: Aliases): Names {
  const own = renamer(aliases)
  const stored = fromOwn([...aliases])
  const differs = (nsid: string) => stored(nsid) !== own(nsid)

  /** Several aliases may have one authority of ours: the first of them counts. */
  function fromOwn(entries: readonly (readonly [string, string])[]): RenameNsid {
    const rename = renamer(
      new Map(entries.map(([alias, authority]) => [authority, alias] as const).reverse()),
    )
    return (nsid) => rename(own(nsid))
  }

  return {
    own,
    stored,
    callerName(...used) {
      if (aliases.size === 0) return undefined
      const nsid = used.find(differs)
      if (nsid === undefined || own(nsid) === nsid) return own
      if (stored(nsid) === nsid) return stored
      const isUsed = ([alias]: readonly [string, string]) => nsid.startsWith(`${alias}.`)
      return fromOwn([...aliases].sort((a, b) => Number(isUsed(b)) - Number(isUsed(a))))
    },
  }
}

/** Replaces authorities. An authority is a domain name, which is case-insensitive. */
function renamer(authorities: ReadonlyMap<string, string>): RenameNsid {
  return <Nsid extends string>(nsid: Nsid) => {
    const end = nsid.indexOf('.', nsid.indexOf('.') + 1)
    const authority = end < 0 ? undefined : authorities.get(nsid.slice(0, end).toLowerCase())
    return authority === undefined ? nsid : ((authority + nsid.slice(end)) as Nsid)
  }
}

/** Renames the collection in the AT URI of a record. Returns other texts unchanged. */
export function renameInUri<Uri extends string>(uri: Uri, rename: RenameNsid): Uri {
  if (!uri.startsWith('at://')) return uri
  const start = uri.indexOf('/', 'at://'.length) + 1
  if (start === 0) return uri
  // Only its authority changes, so the record key may follow the collection.
  const path = uri.slice(start)
  const renamed = rename(path)
  return renamed === path ? uri : ((uri.slice(0, start) + renamed) as Uri)
}
