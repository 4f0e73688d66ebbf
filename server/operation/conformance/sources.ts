/** Where requirements come from. */

/** A section of the specification of the network. */
export function spec(page: string, section: string): string {
  const fragment = section
    .toLowerCase()
    .replaceAll(/[^a-z\d _-]/g, '')
    .trim()
    .replaceAll(' ', '-')
  return `https://atproto.com/specs/${page}#${fragment}`
}

/** A lexicon of the network. */
export const lexicon = (nsid: string) => `lexicon ${nsid}`

/** Test vectors of the network: a file of github.com/bluesky-social/atproto-interop-tests. */
export const vectors = (file: string) => `interop vectors ${file}`

/** What the network's own server does, and clients rely on. */
export const reference = (module: string) => `reference server, ${module}`

export const rfc = (number: number, section: string) => `RFC ${number} §${section}`
