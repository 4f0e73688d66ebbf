import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { com } from '../../../lexicons/generated/index.ts'
import { collections, embeds } from '../../../server/platform/config/nsids.ts'

type Node = { readonly [key: string]: unknown }
type DeclaredError = { name: string; description?: string }
type Lexicon = { lexicon: number; id: string; description?: string; defs: Record<string, Node> }

const folder = join(import.meta.dirname, '../../../lexicons')
const lexicons = globSync('{com,app,chat}/**/*.json', { cwd: folder })
  .sort()
  .map((file) => ({ file, lexicon: JSON.parse(readFileSync(join(folder, file), 'utf8')) as Lexicon }))

/** The methods of the account and session interface, in its order. */
const interfaceMethods = [
  ...['createAccount', 'deleteAccount', 'requestAccountDelete', 'deactivateAccount', 'activateAccount'],
  ...['createSession', 'getSession', 'refreshSession', 'deleteSession'],
  ...['createAppPassword', 'listAppPasswords', 'revokeAppPassword'],
  ...['updateEmail', 'requestEmailUpdate', 'confirmEmail', 'requestEmailConfirmation'],
  ...['resetPassword', 'requestPasswordReset', 'describeServer', 'checkAccountStatus', 'getServiceAuth'],
  ...['getAccountInviteCodes', 'createInviteCode', 'createInviteCodes'],
]

/** Errors of every method. InvalidToken and ExpiredToken are absent, because methods declare them for mailed tokens. */
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

/** Yields every object of a document with its path. */
function* walk(node: Node, path: string): Generator<{ path: string; node: Node }> {
  yield { path, node }
  for (const [key, child] of Object.entries(node)) if (isNode(child)) yield* walk(child, `${path}.${key}`)
}

const shapes = (lexicon: Lexicon) =>
  [...walk(lexicon.defs, lexicon.id)].filter(({ node }) => isNode(node.properties))
const errorsOf = (lexicon: Lexicon) => (lexicon.defs.main?.errors ?? []) as DeclaredError[]

test('every method of the account and session interface has a lexicon', () => {
  const ids = lexicons.map(({ lexicon }) => lexicon.id)
  expect(interfaceMethods).toHaveLength(24)
  expect(ids).toEqual(expect.arrayContaining(interfaceMethods.map((name) => `com.core.server.${name}`)))
})

describe.each(lexicons)('$file', ({ file, lexicon }) => {
  test('id equals the path', () => {
    expect(lexicon.lexicon).toBe(1)
    expect(`${lexicon.id.replaceAll('.', '/')}.json`).toBe(file)
  })

  test('has a description for the document, its definitions and properties', () => {
    const described = [
      ...Object.entries(lexicon.defs),
      ...shapes(lexicon).flatMap(({ path, node }) =>
        Object.entries(node.properties as Node).map(
          ([name, property]) => [`${path}.${name}`, property] as const,
        ),
      ),
      ...(lexicon.defs.main ? [] : [['the document', lexicon] as const]),
    ]
    const missing = described.filter(([, node]) => !isNode(node) || !node.description).map(([path]) => path)
    expect(missing).toEqual([])
  })

  test('required lists only existing properties', () => {
    const unknown = shapes(lexicon).flatMap(({ path, node }) =>
      ((node.required ?? []) as string[])
        .filter((name) => !Object.hasOwn(node.properties as Node, name))
        .map((name) => `${path}: ${name}`),
    )
    expect(unknown).toEqual([])
  })

  test('declares each error once with a description, and no protocol error', () => {
    const names = errorsOf(lexicon).map(({ name }) => name)
    expect(errorsOf(lexicon).filter(({ description }) => !description)).toEqual([])
    expect(names).toEqual([...new Set(names)])
    expect(names.filter((name) => protocolErrors.includes(name))).toEqual([])
  })
})

describe('names in nsids.ts', () => {
  const idsOf = (type: string) =>
    lexicons.filter(({ lexicon }) => lexicon.defs.main?.type === type).map(({ lexicon }) => lexicon.id)

  test('collections are all lexicons of records', () => {
    expect(Object.values(collections).toSorted()).toEqual(idsOf('record').toSorted())
  })

  test('embeds have lexicons of objects', () => {
    expect(idsOf('object')).toEqual(expect.arrayContaining(Object.values(embeds)))
  })
})

describe('the schema accepts input that the handler rejects with a declared error', () => {
  const { server } = com.core
  test.each([
    ['a handle with invalid syntax', server.createAccount, { handle: '-no handle-' }],
    ['a short password', server.createAccount, { handle: 'alice.test', password: 'x' }],
    ['an empty password', server.resetPassword, { token: 'AAAAA-BBBBB', password: '' }],
    [
      'a mailed token in another format',
      server.confirmEmail,
      { email: 'alice@example.test', token: 'x'.repeat(999) },
    ],
    ['any identifier', server.createSession, { identifier: 'ALICE@example.test', password: 'secret' }],
  ])('%s', (_, method, body) => {
    expect(method.main.input.schema.safeParse(body)).toMatchObject({ success: true, value: body })
  })

  test.each(['did:web:chat.test', 'did:web:chat.test#chat', 'nonsense'])('audience %s', (aud) => {
    expect(server.getServiceAuth.main.parameters.safeParse({ aud })).toMatchObject({ success: true })
  })
})

describe('schema bounds', () => {
  const { server, admin } = com.core
  test.each([
    ['a code without uses', server.createInviteCode, { useCount: 0 }],
    ['1001 uses', server.createInviteCode, { useCount: 1001 }],
    ['101 codes', server.createInviteCodes, { codeCount: 101, useCount: 1 }],
    ['forAccount that is not a DID', server.createInviteCode, { useCount: 1, forAccount: 'alice' }],
    ['a date without time', server.deactivateAccount, { deleteAfter: '2030-01-01' }],
    [
      'a password of 10,001 characters',
      server.createSession,
      { identifier: 'a.test', password: 'x'.repeat(10_001) },
    ],
    ['plcOp that is not an object', server.createAccount, { handle: 'alice.test', plcOp: 'x' }],
    ['a subject without $type', admin.updateSubjectStatus, { subject: { did: 'did:web:alice.test' } }],
  ])('reject %s', (_, method, body) => {
    expect(method.main.input.schema.safeParse(body)).toMatchObject({ success: false })
  })

  test('accept the minimum and maximum', () => {
    const { schema } = server.createInviteCodes.main.input
    expect(schema.safeParse({ codeCount: 1, useCount: 1 }).success).toBe(true)
    expect(schema.safeParse({ codeCount: 100, useCount: 1000 }).success).toBe(true)
  })

  test('listAccounts has 50 accounts a page by default, at most 100', () => {
    const { parameters } = admin.listAccounts.main
    expect(parameters.parse({})).toEqual({ limit: 50 })
    expect(parameters.safeParse({ limit: 100 }).success).toBe(true)
    expect(parameters.safeParse({ limit: 101 }).success).toBe(false)
    expect(parameters.safeParse({ limit: 0 }).success).toBe(false)
  })
})
