/** The part of JSON Schema that the schema of worlds uses, and the type of the values that such a schema permits. */

/** A JSON Schema. Objects permit no members except `properties`, unless they have none. */
export type Schema = { readonly description?: string } & (
  | StringSchema
  | { readonly type: 'integer'; readonly minimum?: number; readonly maximum?: number }
  | { readonly type: 'boolean' }
  | { readonly enum: readonly (string | false)[] }
  | { readonly type: 'array'; readonly items: Schema; readonly minItems?: number; readonly maxItems?: number }
  | ObjectSchema
  | { readonly anyOf: readonly Schema[] }
)

export interface StringSchema {
  readonly description?: string
  readonly type: 'string'
  readonly pattern?: string
  /** Texts that the pattern permits, for errors and editors. */
  readonly examples?: readonly string[]
  readonly minLength?: number
}

export interface ObjectSchema {
  readonly description?: string
  readonly type: 'object'
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: false
}

/** The values that a schema permits. */
export type FromSchema<S> = S extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : S extends { readonly anyOf: readonly (infer Choice)[] }
    ? FromChoice<Choice>
    : S extends { readonly type: 'array'; readonly items: infer Items }
      ? readonly FromSchema<Items>[]
      : S extends { readonly type: 'object'; readonly properties: infer Properties }
        ? FromObject<Properties, S extends { readonly required: readonly (infer Name)[] } ? Name : never>
        : S extends { readonly type: keyof Simple }
          ? Simple[S['type']]
          : never

/** Distributes over the choices. */
type FromChoice<Choice> = Choice extends unknown ? FromSchema<Choice> : never

type FromObject<Properties, Required> = {
  readonly [Name in keyof Properties as Name extends Required ? Name : never]: FromSchema<Properties[Name]>
} & {
  readonly [Name in keyof Properties as Name extends Required ? never : Name]?:
    | FromSchema<Properties[Name]>
    | undefined
}

interface Simple {
  readonly string: string
  readonly integer: number
  readonly boolean: boolean
  /** An object without `properties` permits all members. */
  readonly object: Readonly<Record<string, unknown>>
}
