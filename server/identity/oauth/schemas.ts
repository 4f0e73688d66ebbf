/** Validates by the schemas of the network's packages. */

interface Schema<Value> {
  safeParse(
    input: unknown,
  ):
    | { readonly success: true; readonly data: Value }
    | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } }
}

interface Issue {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/**
 * Parses a value that a client sent.
 * @param refused returns the error for a value that is not valid, from a description in words
 */
export function parseBy<Value>(
  schema: Schema<Value>,
  input: unknown,
  refused: (problem: string) => Error,
): Value {
  const parsed = attempt(schema, input, refused)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw refused(`${issue?.path.join('.')}: ${issue?.message}`)
}

/** Some checks throw instead of refusing, such as those of a URL with a port that does not exist. */
function attempt<Value>(schema: Schema<Value>, input: unknown, refused: (problem: string) => Error) {
  try {
    return schema.safeParse(input)
  } catch (error) {
    throw refused(error instanceof Error ? error.message : 'malformed')
  }
}
