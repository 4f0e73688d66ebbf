import { t } from '../../strings/en.ts'

/** Returns the kind of a collection's records, without the authority of its NSID: `feedPost`. */
export function kindOf(nsid: string): string {
  const [, , family = '', name = ''] = nsid.split('.')
  return `${family}${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
}

/** Collections of the network, whose kinds have names here. Other namespaces may use the same kinds for anything. */
const named = /^(?:app|chat)\.(?:example|bsky)\.[^.]+\.[^.]+$/

/** The name of a collection for people; its NSID if there is none. */
export function collectionName(nsid: string): string {
  return (named.test(nsid) && t.data.collections[kindOf(nsid)]) || nsid
}
