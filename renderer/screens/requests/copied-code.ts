/** A request as code that sends it again. */
import { methodOf } from './filter.ts'
import type { InspectedRequest } from './inspected-request.ts'

/** Stands for what the server hides or cuts. */
const hidden = '…'

/** Returns a command in which `$TOKEN` stands for the token, and `…` for each other secret. @param origin of the server */
export function curlOf(request: InspectedRequest, origin: string): string {
  const { verb, scheme, input, inputType } = request
  const parts = [`curl ${quoted(origin + targetOf(request))}`]
  if (verb !== 'GET') parts.push(`-X ${verb}`)
  if (scheme !== undefined) parts.push(authorizationOf(scheme))
  if (input !== undefined) parts.push(`-H 'Content-Type: application/json'`, `--data ${quoted(input)}`)
  else if (inputType !== undefined)
    parts.push(`-H ${quoted(`Content-Type: ${inputType}`)}`, '--data-binary @FILE')
  return parts.join(' \\\n  ')
}

/** Double quotes, so that the shell replaces the variable. */
function authorizationOf(scheme: string): string {
  if (scheme === 'basic') return '-u "admin:$TOKEN"'
  return `-H "Authorization: ${scheme === 'dpop' ? 'DPoP' : 'Bearer'} $TOKEN"`
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Returns a test that sends the request to a network of its own, and expects the same status. */
export function testOf(request: InspectedRequest): string {
  const { verb, scheme, input, inputType, status = 200, error } = request
  const headers = [
    ...(scheme === undefined ? [] : ["authorization: 'Bearer ' + agent.session?.accessJwt"]),
    ...(input === undefined ? [] : [`'content-type': 'application/json'`]),
    ...(input === undefined && inputType !== undefined ? [`'content-type': ${literal(inputType)}`] : []),
  ]
  const options = [
    ...(verb === 'GET' ? [] : [`method: '${verb}'`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(input === undefined ? [] : [`body: JSON.stringify(${withCaller(input, request)})`]),
  ]
  const url = `network.url + ${targetCode(request)}`
  const call =
    options.length === 0 ? url : `${url}, {\n${options.map((option) => `      ${option},\n`).join('')}    }`
  return [
    ...(scheme === undefined ? [] : ["import { AtpAgent } from '@atproto/api'"]),
    "import { startNetwork } from 'desktop-pds/testing'",
    "import { expect, test } from 'vitest'",
    '',
    `test(${literal(`${methodOf(request)} answers ${error ?? status}`)}, async () => {`,
    ...(isWhole(request) ? [] : [`  // Replace each ${hidden} by a value: it was a secret, or too long.`]),
    '  const network = await startNetwork()',
    '  try {',
    ...(scheme === undefined ? [] : signIn),
    `    const response = await fetch(${call})`,
    `    expect(response.status).toBe(${status})`,
    ...(error === undefined
      ? []
      : [`    expect(await response.json()).toMatchObject({ error: ${literal(error)} })`]),
    '  } finally {',
    '    await network.stop()',
    '  }',
    '})',
    '',
  ].join('\n')
}

const signIn = [
  '    const agent = new AtpAgent({ service: network.url })',
  "    await agent.createAccount({ handle: 'alice.test', email: 'alice@mail.test', password: 'alice-password' })",
]

/** The account of the test has another DID than that of the request, which is in `repo` and `actor`. */
const callerDid = 'agent.did'

/** The JSON of a body as code. */
function withCaller(json: string, { did, scheme }: InspectedRequest): string {
  if (did === undefined || scheme === undefined) return json
  return json.replaceAll(/(?<!\\)"(did:[^"]+)"(?!\s*:)/g, (text, found) => (found === did ? callerDid : text))
}

/** The path with its query as code. */
function targetCode(request: InspectedRequest): string {
  const { did, scheme } = request
  const target = targetOf(request)
  if (did === undefined || scheme === undefined) return literal(target)
  const parts = target.split(encodeURIComponent(did)).map((part) => (part === '' ? [] : [literal(part)]))
  return parts.flatMap((part, index) => (index === 0 ? part : [callerDid, ...part])).join(' + ')
}

/** Whether nothing was hidden or cut. */
function isWhole({ input, params }: InspectedRequest): boolean {
  return ![input ?? '', ...params.map(({ value }) => value)].some((text) => text.includes(hidden))
}

/** A string literal in single quotes. */
function literal(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** The path with its query. */
function targetOf({ path, params }: InspectedRequest): string {
  const query = new URLSearchParams(params.map(({ name, value }) => [name, value]))
  return query.size === 0 ? path : `${path}?${query}`
}
