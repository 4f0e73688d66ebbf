/** AT URIs of records. */
import type { AtUriString, DidString, NsidString, RecordKeyString } from '@atproto/syntax'

export function recordUri(did: DidString, collection: NsidString, rkey: RecordKeyString): AtUriString {
  return `at://${did}/${collection}/${rkey}`
}
