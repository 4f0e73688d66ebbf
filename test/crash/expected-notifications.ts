/** The notifications that an account must have, computed from all records that exist, independently of the server's code. */

export interface StoredRecord {
  readonly uri: string
  // biome-ignore lint/suspicious/noExplicitAny: records of several shapes
  readonly value: any
}

/**
 * @param subscribers of posts, by the DID of the author
 * @returns sorted lines: reason, record, subject
 */
export function expectedNotifications(
  did: string,
  records: readonly StoredRecord[],
  subscribers: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  const isOwn = (uri: string | undefined) => uri?.split('/')[2] === did
  return records
    .filter(({ uri }) => !isOwn(uri))
    .flatMap(({ uri, value }) => {
      const [, , author = '', collection = ''] = uri.split('/')
      const line = (reason: string, subject = '') => `${reason} ${uri} ${subject}`
      const kind = collection.split('.').at(-1)
      if (kind === 'follow') return value.subject === did ? [line('follow')] : []
      if (kind === 'post') return ofPost(did, value, subscribers.get(author)?.has(did), line)
      return [
        ...(isOwn(value.subject.uri) ? [line(kind ?? '', value.subject.uri)] : []),
        ...(isOwn(value.via?.uri) ? [line(`${kind}-via-repost`, value.via.uri)] : []),
      ]
    })
    .sort()
}

/** A post notifies once: as a mention, else as a reply, else as a quote, else its subscribers. */
function ofPost(
  did: string,
  { facets, reply, embed }: StoredRecord['value'],
  isSubscribed: boolean | undefined,
  line: (reason: string, subject?: string) => string,
): string[] {
  const mentioned = facets?.some((facet: StoredRecord['value']) => facet.features[0].did === did)
  if (mentioned) return [line('mention')]
  for (const uri of [reply?.parent.uri, reply?.root.uri]) {
    if (uri?.split('/')[2] === did) return [line('reply', uri)]
  }
  const quoted = embed?.record?.uri
  if (quoted?.split('/')[2] === did) return [line('quote', quoted)]
  return isSubscribed ? [line('subscribed-post')] : []
}
