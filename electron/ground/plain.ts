/** Values as they cross the process boundary: times are ISO 8601 texts. */
export type Plain<T> = T extends Date ? string : T extends object ? { [Name in keyof T]: Plain<T[Name]> } : T

/** Converts times to texts, as JSON does. */
export function toPlain<T>(value: T): Plain<T> {
  return JSON.parse(JSON.stringify(value))
}
