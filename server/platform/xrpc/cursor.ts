/** Cursors: the key of the last item of a page, opaque to clients. */

export function encodeCursor(...key: readonly string[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

/** Returns the key; undefined for a cursor that this server did not make. */
export function decodeCursor(cursor: string, length: number): string[] | undefined {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const isKey = Array.isArray(key) && key.length === length && key.every((part) => typeof part === 'string')
    return isKey && encodeCursor(...key) === cursor ? key : undefined
  } catch {
    return undefined
  }
}
