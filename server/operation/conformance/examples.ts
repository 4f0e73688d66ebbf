/** Values for calls, valid ones and wrong ones, by the lexicon of the method. */
import type { l } from '@atproto/lex-schema'
import type { MethodUnderTest } from './methods.ts'

type Values = Readonly<Record<string, unknown>>

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const cid = 'bafyreie5cvv4h45feadgeuwhbcutmh6t2ceseocckahdoe6uat64zmz454'

/** By the name of the member. */
const examples: Values = {
  did,
  cid,
  aud: 'did:web:service.example.com',
  cids: [cid],
  collection: 'example.desktop-pds.conformance',
  repo: did,
  rkey: '3aaaaaaaaaa2z',
  handle: 'absent.example.com',
  identifier: 'absent.example.com',
  email: 'absent@example.com',
  record: {},
  writes: [],
  operation: {},
  useCount: 1,
  codeCount: 1,
  limit: 1,
}
const example = (name: string) => examples[name] ?? 'example'

/** The members that a method requires, with valid values. */
export function requiredOf(method: MethodUnderTest): Values {
  const { input, params, name: of } = method
  const shape: Readonly<Record<string, l.Schema>> = (input ?? params).shape
  const isRequired = (name: string) => !shape[name]?.safeParse(undefined).success
  const required = namesOf(method).filter((name) => isRequired(name) && !own[of]?.includes(name))
  return Object.fromEntries(required.map((name) => [name, example(name)]))
}

/** Members that the lexicons of this project add, or require in addition. */
export const own: Readonly<Record<string, readonly string[]>> = {
  'server.createAppPassword': ['limit'],
  'server.createInviteCode': ['note', 'expiresAt'],
  'server.createInviteCodes': ['note', 'expiresAt'],
  'server.reserveSigningKey': ['did'],
  'server.updateEmail': ['password'],
  'sync.getBlob': ['preset'],
}

/** Calls that lack a required member, by its name. */
export function incompleteOf(method: MethodUnderTest): readonly (readonly [string, Values])[] {
  const required = requiredOf(method)
  return Object.keys(required).map((name) => [name, without(required, name)])
}

/** Values that no integer, boolean, list or string of a format has. */
const wrong: readonly unknown[] = ['not valid!', 12_345, {}]

/** Calls with a member of a wrong type, by its name. A string without a format takes every parameter. */
export function mistypedOf(method: MethodUnderTest): readonly (readonly [string, Values])[] {
  const required = requiredOf(method)
  const candidates = method.input ? wrong : wrong.slice(0, 1)
  const names = namesOf(method).filter((name) => !own[method.name]?.includes(name))
  return names.flatMap((name) => {
    const found = candidates
      .map((value) => ({ ...required, [name]: value }))
      .find((call) => !accepts(method, call))
    return found ? [[name, found] as const] : []
  })
}

/** The names of all members: those of the body, or the parameters. */
export function namesOf({ input, params }: MethodUnderTest): readonly string[] {
  return Object.keys((input ?? params).shape)
}

export function accepts({ input, params }: MethodUnderTest, call: Values): boolean {
  if (input) return input.safeParse(call).success
  try {
    params.fromURLSearchParams(Object.entries(call).map(([name, value]) => [name, String(value)]))
    return true
  } catch {
    return false
  }
}

function without(values: Values, name: string): Values {
  const { [name]: _, ...rest } = values
  return rest
}
