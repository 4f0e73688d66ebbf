/**
 * Access control: every method and subscription × every account status × every kind of token, over the wire, against a model of the
 * rules that shares no code with the server.
 */
import { beforeAll, expect, test } from 'vitest'
import { calls } from '../support/access/calls/index.ts'
import { each, send } from '../support/access/client.ts'
import {
  badScope,
  everything,
  inactive,
  type Method,
  type State,
  type Subject,
  states,
  type Token,
  type TokenName,
  tokenNames,
  tokens,
} from '../support/access/model.ts'
import { makeSubject } from '../support/access/subject.ts'
import { server, setupServer } from '../support/server/setup.ts'
import { inlineFiles } from '../support/store/inline-files.ts'

const scopesOf: Record<string, readonly string[]> = {
  optional: ['full', 'app password', 'privileged'],
  reader: ['full', 'app password', 'privileged', 'takendown'],
  access: ['full', 'app password', 'privileged'],
  upload: ['full', 'app password', 'privileged'],
  'access or takendown': ['full', 'app password', 'privileged', 'takendown'],
  full: ['full'],
  'full or takendown': ['full', 'takendown'],
  admin: ['full'],
}
/** Returns the expected error of a token; undefined if access is granted. */
function expectedError({ auth, active }: Method, state: State, token: Token): string | undefined {
  if (auth === 'none' || (auth === 'import' && token.kind !== 'basic')) return undefined
  if ((auth === 'import' || auth === 'admin' || auth === 'reader') && token.kind === 'basic')
    return token.isRight ? undefined : 'AuthenticationRequired'
  if (token.kind === 'none') return ['optional', 'reader'].includes(auth) ? undefined : 'AuthMissing'
  if (token.kind === 'unverifiable' || token.kind === 'basic') return 'InvalidToken'
  if (auth === 'ending') return undefined
  if (token.isExpired) return 'ExpiredToken: Token has expired'
  if (auth === 'refresh' && token.kind !== 'refresh') return badScope
  if (auth !== 'refresh' && token.kind !== 'access') return 'InvalidToken'
  if (state === 'deleted') return 'AccountNotFound'
  const isOpen = !token.isRevoked && (state === 'takendown') === (token.isNarrow ?? false)
  if (!isOpen) return 'ExpiredToken: Token has been revoked'
  if (auth === 'refresh') return undefined
  if (!scopesOf[auth]?.includes(token.scope ?? '')) return badScope
  if (active && inactive[state]) return inactive[state]
  return auth === 'admin' && !token.isOwner ? 'Forbidden' : undefined
}

/** For calls that are rejected or change nothing. */
const ordinary = new Map<State, Subject>()
const owners = new Map<State, Subject>()

setupServer({ accounts: ['bystander'], files: inlineFiles })
beforeAll(async () => {
  const withoutOwner = tokenNames.filter((name) => name !== 'owner')
  for (const state of states) {
    ordinary.set(state, await makeSubject(state, withoutOwner))
    owners.set(state, await makeSubject(state, ['owner']))
  }
})

const byNsid = everything.map((method) => [method.nsid, method] as const)
const cells = states.flatMap((state) => tokenNames.map((token) => ({ state, token })))

test.each(byNsid)('%s: every account status and token gets the expected response', async (nsid, method) => {
  const call = calls[nsid]
  if (!call) throw new Error(`Add an entry for ${nsid} to the tables in test/support/access/calls/`)
  const wrong: unknown[] = []
  const check = async ({ state, token }: (typeof cells)[number]) => {
    const refusal = expectedError(method, state, tokens[token])
    const subject = await subjectFor(method, state, token, refusal)
    const { answer = 'success', ...request } = call(subject, token)
    const authorization = subject.headers.get(token)
    const got = await send(server.url, method, request, authorization === undefined ? {} : { authorization })
    const expected = refusal ?? answer
    if (got !== expected) wrong.push({ state, token, expected, got })
  }
  await each(cells, check)
  expect(wrong).toEqual([])
})

/** Returns a new account for a call that may change it, and a shared one otherwise. */
async function subjectFor({ schema, auth }: Method, state: State, token: TokenName, expected?: string) {
  const isHarmless =
    expected !== undefined || schema.type !== 'procedure' || auth === 'none' || auth === 'import'
  const kept = isHarmless && (token === 'owner' ? owners : ordinary).get(state)
  return kept || makeSubject(state, [token])
}
