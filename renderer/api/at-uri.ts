/** The parts of the AT URI of a record. */
export interface RecordKey {
  readonly repo: string
  readonly collection: string
  readonly rkey: string
}

export function parseAtUri(uri: string): RecordKey {
  const [, , repo = '', collection = '', rkey = ''] = uri.split('/')
  return { repo, collection, rkey }
}

/** Identifies a record under any name of its collection. */
export function placeOf(uri: string): string {
  const { repo, rkey } = parseAtUri(uri)
  return `${repo}/${rkey}`
}

export function formatAtUri({ repo, collection, rkey }: RecordKey): `at://${string}.${string}` {
  return `at://${repo}/${collection}/${rkey}` as `at://${string}.${string}`
}
