/** Errors between threads: the structured clone of an `Error` loses its class, name and properties. */

export interface PlainError {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  readonly properties: object
}

export function toPlainError(thrown: unknown): PlainError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const { name, message, stack } = error
  return { name, message, stack, properties: { ...error } }
}

export function fromPlainError({ name, message, stack, properties }: PlainError): Error {
  return Object.assign(new Error(message), { ...properties, name, stack })
}
