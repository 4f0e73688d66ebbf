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

export function formatAtUri({ repo, collection, rkey }: RecordKey): `at://${string}.${string}` {
  return `at://${repo}/${collection}/${rkey}` as `at://${string}.${string}`
}
