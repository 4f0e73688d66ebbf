/** What a server must not bring into a report: people publish it. */

const hidden = '•••'
/** Characters of a secret that is hidden: shorter ones are parts of words. */
const minLength = 4

export interface Secrets {
  add(secret: string | undefined): void
  /** Parses JSON, without the secrets in its strings. Undefined if it is invalid or too deep. */
  parse(text: Buffer): unknown
}

export function createSecrets(): Secrets {
  const secrets = new Set<string>()
  const masked = (_: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value
    let text = value
    for (const secret of secrets) text = text.replaceAll(secret, hidden)
    return text
  }
  return {
    add(secret = '') {
      if (secret.length >= minLength) secrets.add(secret)
    },
    parse(text) {
      try {
        return JSON.parse(text.toString(), masked)
      } catch {
        return undefined
      }
    },
  }
}
