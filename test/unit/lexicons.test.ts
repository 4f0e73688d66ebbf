import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { com } from '../../lexicons/generated/index.ts'

type Node = { readonly [key: string]: unknown }
type DeclaredError = { name: string; description?: string }
type Lexicon = { lexicon: number; id: string; description?: string; defs: Record<string, Node> }

const folder = join(import.meta.dirname, '../../lexicons')
const lexicons = globSync('{com,app}/**/*.json', { cwd: folder })
  .sort()
  .map((file) => ({ file, lexicon: JSON.parse(readFileSync(join(folder, file), 'utf8')) as Lexicon }))

/** The operations of the account and session interface, in the order in which it names them. */
const operations = [
  ...['createAccount', 'deleteAccount', 'requestAccountDelete', 'deactivateAccount', 'activateAccount'],
  ...['createSession', 'getSession', 'refreshSession', 'deleteSession'],
  ...['createAppPassword', 'listAppPasswords', 'revokeAppPassword'],
  ...['updateEmail', 'requestEmailUpdate', 'confirmEmail', 'requestEmailConfirmation'],
  ...['resetPassword', 'requestPasswordReset', 'describeServer', 'checkAccountStatus', 'getServiceAuth'],
  ...['getAccountInviteCodes', 'createInviteCode', 'createInviteCodes'],
]

/** Errors that any method may answer. InvalidToken and ExpiredToken are absent: mail tokens share the names. */
const protocolErrors = [
  ...['InvalidRequest', 'AuthMissing', 'AuthenticationRequired', 'Forbidden', 'AccountNotFound'],
  ...[
    'PayloadTooLarge',
    'RateLimitExceeded',
    'InternalServerError',
    'MethodNotImplemented',
    'NotEnoughResources',
  ],
]

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** Every object of a document, each with the path that leads to it. */
function* walk(node: Node, path: string): Generator<{ path: string; node: Node }> {
  yield { path, node }
  for (const [key, child] of Object.entries(node)) if (isNode(child)) yield* walk(child, `${path}.${key}`)
}

const shapes = (lexicon: Lexicon) =>
  [...walk(lexicon.defs, lexicon.id)].filter(({ node }) => isNode(node.properties))
const errorsOf = (lexicon: Lexicon) => (lexicon.defs.main?.errors ?? []) as DeclaredError[]

test('every operation of the interface has a lexicon', () => {
  const ids = lexicons.map(({ lexicon }) => lexicon.id)
  expect(operations).toHaveLength(24)
  expect(ids).toEqual(expect.arrayContaining(operations.map((name) => `com.core.server.${name}`)))
})

describe.each(lexicons)('$file', ({ file, lexicon }) => {
  test('is named by its path', () => {
    expect(lexicon.lexicon).toBe(1)
    expect(`${lexicon.id.replaceAll('.', '/')}.json`).toBe(file)
  })

  test('describes itself, its definitions and its properties', () => {
    const described = [
      ...Object.entries(lexicon.defs),
      ...shapes(lexicon).flatMap(({ path, node }) =>
        Object.entries(node.properties as Node).map(
          ([name, property]) => [`${path}.${name}`, property] as const,
        ),
      ),
      ...(lexicon.defs.main ? [] : [['the document', lexicon] as const]),
    ]
    const silent = described.filter(([, node]) => !isNode(node) || !node.description).map(([path]) => path)
    expect(silent).toEqual([])
  })

  test('requires only properties that exist', () => {
    const unknown = shapes(lexicon).flatMap(({ path, node }) =>
      ((node.required ?? []) as string[])
        .filter((name) => !Object.hasOwn(node.properties as Node, name))
        .map((name) => `${path}: ${name}`),
    )
    expect(unknown).toEqual([])
  })

  test('declares each of its own errors once, with a description', () => {
    const names = errorsOf(lexicon).map(({ name }) => name)
    expect(errorsOf(lexicon).filter(({ description }) => !description)).toEqual([])
    expect(names).toEqual([...new Set(names)])
    expect(names.filter((name) => protocolErrors.includes(name))).toEqual([])
  })
})

describe('what has an error of its own passes the schema', () => {
  const { server } = com.core
  test.each([
    ['a handle of bad syntax', server.createAccount, { handle: '-no handle-' }],
    ['a short password', server.createAccount, { handle: 'alice.test', password: 'x' }],
    ['an empty password', server.resetPassword, { token: 'AAAAA-BBBBB', password: '' }],
    [
      'a mail token of another shape',
      server.confirmEmail,
      { email: 'alice@example.test', token: 'x'.repeat(999) },
    ],
    [
      'an identifier of any kind',
      server.createSession,
      { identifier: 'ALICE@example.test', password: 'secret' },
    ],
  ])('%s', (_, method, body) => {
    expect(method.main.input.schema.safeParse(body)).toMatchObject({ success: true, value: body })
  })

  test.each(['did:web:chat.test', 'did:web:chat.test#chat', 'nonsense'])('the audience %s', (aud) => {
    expect(server.getServiceAuth.main.parameters.safeParse({ aud })).toMatchObject({ success: true })
  })
})

describe('bounds', () => {
  const { server, admin } = com.core
  test.each([
    ['no use', server.createInviteCode, { useCount: 0 }],
    ['1001 uses', server.createInviteCode, { useCount: 1001 }],
    ['101 codes', server.createInviteCodes, { codeCount: 101, useCount: 1 }],
    ['a code for no DID', server.createInviteCode, { useCount: 1, forAccount: 'alice' }],
    ['a date without time', server.deactivateAccount, { deleteAfter: '2030-01-01' }],
    [
      'a password beyond reason',
      server.createSession,
      { identifier: 'a.test', password: 'x'.repeat(10_001) },
    ],
    ['an operation that is no object', server.createAccount, { handle: 'alice.test', plcOp: 'x' }],
    ['a subject without type', admin.updateSubjectStatus, { subject: { did: 'did:web:alice.test' } }],
  ])('refuse %s', (_, method, body) => {
    expect(method.main.input.schema.safeParse(body)).toMatchObject({ success: false })
  })

  test('hold at their ends', () => {
    const { schema } = server.createInviteCodes.main.input
    expect(schema.safeParse({ codeCount: 1, useCount: 1 }).success).toBe(true)
    expect(schema.safeParse({ codeCount: 100, useCount: 1000 }).success).toBe(true)
  })

  test('a page has 50 accounts unless asked for another number up to 100', () => {
    const { parameters } = admin.listAccounts.main
    expect(parameters.parse({})).toEqual({ limit: 50 })
    expect(parameters.safeParse({ limit: 100 }).success).toBe(true)
    expect(parameters.safeParse({ limit: 101 }).success).toBe(false)
    expect(parameters.safeParse({ limit: 0 }).success).toBe(false)
  })
})
