import { t } from '../../strings/en.ts'

/** The name of a collection for people; its NSID if there is none. The authority of the NSID does not matter. */
export function collectionName(nsid: string): string {
  const [, , family = '', name = ''] = nsid.split('.')
  return t.data.collections[`${family}${name.slice(0, 1).toUpperCase()}${name.slice(1)}`] ?? nsid
}
