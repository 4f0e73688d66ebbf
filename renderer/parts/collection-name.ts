import { t } from '../strings/en.ts'

/** Returns the kind of a collection's records, without the authority of its NSID: `feedPost`. */
export function kindOf(nsid: string): string {
  const [, , family = '', name = ''] = nsid.split('.')
  return `${family}${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
}

/** The name of a collection for people; its NSID if there is none. */
export function collectionName(nsid: string): string {
  return t.data.collections[kindOf(nsid)] ?? nsid
}
