/** Whether a parsed JSON value is an object, other than null and arrays. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a parsed JSON value is a string. */
export function isString(value: unknown): value is string {
  return typeof value === 'string'
}

/** Parses JSON text in UTF-8; undefined if invalid, which no valid text yields. */
export function parseJson(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString())
  } catch {
    return undefined
  }
}
