/** What a client sent, held against the lexicon: parameters and bodies. */
import { LexValidationError, type l } from '@atproto/lex-schema'
import { protocolError } from './errors.ts'

/**
 * Parameters of a query string. Those that the lexicon does not declare are ignored.
 * @throws InvalidRequest
 */
export function readParams(schema: l.ParamsSchema, query: string): unknown {
  const declared = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(query)) {
    if (!schema.shapeValidators.has(name)) continue
    if (value.includes('\0')) throw protocolError('InvalidRequest', `Parameter ${name} may not contain NUL`)
    declared.append(name, value)
  }
  try {
    return withoutStackTraces(() => schema.fromURLSearchParams(declared))
  } catch (error) {
    throw invalid(error)
  }
}

/** @throws InvalidRequest */
export function validated(schema: l.Validator, value: unknown): unknown {
  const result = withoutStackTraces(() => (schema as l.Schema).safeParse(value))
  if (result.success) return result.value
  throw invalid(result)
}

/** The validator makes an error of every optional property that is absent, and drops it: its stack trace is most of the cost. */
function withoutStackTraces<T>(work: () => T): T {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function invalid(error: unknown): unknown {
  return error instanceof LexValidationError ? protocolError('InvalidRequest', error.message) : error
}
