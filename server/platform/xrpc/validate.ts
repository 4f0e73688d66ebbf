/** Validates parameters and bodies against the lexicon. */
import { LexValidationError, type l } from '@atproto/lex-schema'
import { describeIssues } from './issues.ts'
import { protocolError } from './xrpc-errors.ts'

/**
 * Reads the parameters of a query string. Undeclared ones are ignored, and so are empty ones, by which clients mean none. The
 * spelling of other servers for a list, `name[]`, is refused: the client would get an answer without its filter.
 * @throws InvalidRequest
 */
export function readParams(schema: l.ParamsSchema, query: string): unknown {
  const declared = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(query)) {
    if (!schema.shapeValidators.has(name)) {
      const listed = /^(.+)\[\d*\]$/.exec(name)?.[1]
      if (listed === undefined || !schema.shapeValidators.has(listed)) continue
      throw protocolError('InvalidRequest', `Parameter ${name}: repeat ${listed} for each value instead`)
    }
    if (value.includes('\0')) throw protocolError('InvalidRequest', `Parameter ${name} may not contain NUL`)
    declared.append(name, value)
  }
  try {
    return withoutStackTraces(() => schema.fromURLSearchParams(declared))
  } catch (error) {
    throw invalid(error)
  }
}

/** Returns the value with defaults filled in. @throws InvalidRequest */
export function validated(schema: l.Validator, value: unknown): unknown {
  const result = withoutStackTraces(() => (schema as l.Schema).safeParse(value))
  if (result.success) return result.value
  throw invalid(result)
}

/** The validator creates and drops an error for every absent optional property; the stack trace is most of its cost. */
export function withoutStackTraces<T>(work: () => T): T {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function invalid(error: unknown): unknown {
  return error instanceof LexValidationError
    ? protocolError('InvalidRequest', describeIssues(error.issues))
    : error
}
