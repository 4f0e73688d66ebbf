/** Labels that authors give to their own records. */
import { isDatetimeString } from '@atproto/syntax'
import { com } from '../../../../lexicons/generated/index.ts'
import type { DatetimeString } from '../../../util/time.ts'

type Label = com.core.label.defs.Label

/** The record that labels refer to. */
export interface Labelled {
  readonly did: Label['src']
  readonly uri: Label['uri']
  readonly cid: string
  readonly indexedAt: DatetimeString
}

/**
 * Returns the self-labels of a record; none if they violate their lexicon.
 * @param record with our `$type`s
 */
export function selfLabels(
  { labels, createdAt }: { readonly labels?: unknown; readonly createdAt?: unknown },
  { did, uri, cid, indexedAt }: Labelled,
): Label[] {
  if (labels === undefined) return []
  const result = com.core.label.defs.selfLabels.safeValidate(labels)
  if (!result.success) return []
  const cts = isDatetimeString(createdAt) ? createdAt : indexedAt
  return result.value.values.map(({ val }) => ({ src: did, uri, cid, val, cts }))
}
