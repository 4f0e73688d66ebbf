/**
 * Removes secrets from requests before they are shown. A value is hidden by its name (`secret-names.ts`), at any depth and in records
 * of any kind, or by its form: a token, an app password, or a URL with a password.
 */
import { isObject, parseJson } from '../../util/json.ts'
import { isSecretName } from './secret-names.ts'

/** Stands for a hidden value, and for what was cut. */
export const hidden = '…'

/** A redacted value as JSON text. */
export interface Redacted {
  readonly text: string
  /** Whether it was cut to the limit. */
  readonly isCut: boolean
}

/** Characters of a redacted value, of a string in it, and levels of its objects. */
const maxChars = 4096
const maxString = 1000
const maxDepth = 20

/** Secrets that are recognized anywhere in a text, by their form. */
const forms: readonly (readonly [RegExp, string])[] = [
  // JWTs, of which the parts may be cut. Also the payload alone.
  [/\beyJ[\w-]{8,}(?:\.[\w-]*)*/g, hidden],
  [/\b(bearer|dpop|basic)[ +]+[\w.~+/=-]{6,}/gi, `$1 ${hidden}`],
  // App passwords and the admin password; mailed codes and recovery codes.
  [/\b[a-z2-7]{4}(?:-[a-z2-7]{4}){3,}\b/gi, hidden],
  [/\b[A-Z2-7]{5}-[A-Z2-7]{5}\b/g, hidden],
  // Keys of the copies.
  [/\bAGE-SECRET-KEY-1[a-z0-9]+/gi, hidden],
  [/(\/\/)[^/?#\s@]+@/g, `$1${hidden}@`],
  // Parameters of a URL in a text.
  [/([?&;](?:\w*(?:token|secret|password|code|key|signature|sig))=)[^&#\s]+/gi, `$1${hidden}`],
]

/** Removes secrets from a text, by their form. NUL and halves of characters, which no response may contain, are replaced. */
export function redactText(text: string): string {
  const redacted = forms.reduce((rest, [form, replacement]) => rest.replace(form, replacement), text)
  return redacted.replaceAll('\0', '\ufffd').toWellFormed()
}

/** Removes secrets from a JSON value. @param nsid of the method that it belongs to */
export function redactJson(value: unknown, nsid: string): Redacted {
  let left = maxChars
  let isCut = false

  function cut(): string {
    isCut = true
    return hidden
  }

  function text(value: string, depth: number): string {
    const nested = nestedJson(value)
    if (nested !== undefined) return JSON.stringify(redact(nested, depth + 1))
    const shown = redactText(value.slice(0, maxString))
    left -= shown.length
    return value.length > maxString ? shown + cut() : shown
  }

  function redact(value: unknown, depth: number): unknown {
    left -= 4
    if (left < 0 || depth > maxDepth) return cut()
    if (typeof value === 'string') return text(value, depth)
    if (Array.isArray(value)) return items(value, depth)
    return isObject(value) ? Object.fromEntries(members(value, depth)) : value
  }

  function items(list: readonly unknown[], depth: number): unknown[] {
    const shown: unknown[] = []
    for (const item of list) {
      if (left < 0) return [...shown, cut()]
      shown.push(redact(item, depth + 1))
    }
    return shown
  }

  function* members(object: Record<string, unknown>, depth: number): Iterable<[string, unknown]> {
    for (const name of Object.keys(object)) {
      if (left < 0) return yield [cut(), hidden]
      const value = object[name]
      yield [text(name, depth), isHidden(nsid, name, value) ? hidden : redact(value, depth + 1)]
    }
  }

  return { text: JSON.stringify(redact(value, 0)), isCut }
}

export interface Param {
  readonly name: string
  readonly value: string
}

/** Removes secrets from a query string. */
export function redactQuery(query: string, nsid: string): Param[] {
  const params: Param[] = []
  let left = maxChars
  for (const [name, value] of new URLSearchParams(query)) {
    if (left < 0) return [...params, { name: hidden, value: hidden }]
    const shown = isHidden(nsid, name, value) ? hidden : redactString(value, nsid)
    left -= name.length + shown.length
    params.push({ name: redactText(name.slice(0, maxString)), value: shown })
  }
  return params
}

function redactString(value: string, nsid: string): string {
  const nested = nestedJson(value)
  return nested === undefined ? redactText(value.slice(0, maxString)) : redactJson(nested, nsid).text
}

/** Returns the JSON object or array that a text consists of. */
function nestedJson(text: string): unknown {
  return /^\s*[{[]/.test(text) ? parseJson(Buffer.from(text)) : undefined
}

/** A flag reveals nothing. */
function isHidden(nsid: string, name: string, value: unknown): boolean {
  return value !== null && typeof value !== 'boolean' && isSecretName(nsid, name)
}
