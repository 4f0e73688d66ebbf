/** A request as code that sends it again. */
import { methodOf } from './filter.ts'
import type { InspectedRequest } from './inspected-request.ts'

/** Stands for what the server hides or cuts. */
const hidden = '…'

/** Returns a command in which `$TOKEN` stands for the token, and `…` for each other secret. @param origin of the server */
export function curlOf(request: InspectedRequest, origin: string): string {
  const { verb, scheme, input, inputType } = request
  const parts = [`curl ${quoted(origin + targetOf(request))}`]
  // With -X HEAD, curl waits for a body.
  if (verb === 'HEAD') parts.push('-I')
  else if (verb !== 'GET') parts.push(`-X ${verb}`)
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

/** Returns a test that sends the request to a network of its own, whose accounts take the places of its DIDs, and expects the same status. */
export function testOf(request: InspectedRequest): string {
  const { verb, scheme, input, inputType, status = 200, error } = request
  const accounts = accountsOf(request)
  const headers = [
    ...(scheme === undefined ? [] : [`authorization: ${scheme === 'basic' ? admin : caller}`]),
    ...(input === undefined ? [] : [`'content-type': 'application/json'`]),
    ...(input === undefined && inputType !== undefined ? [`'content-type': ${literal(inputType)}`] : []),
  ]
  const options = [
    ...(verb === 'GET' ? [] : [`method: '${verb}'`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(input === undefined ? [] : [`body: JSON.stringify(${inputCode(input, accounts)})`]),
  ]
  const url = `network.url + ${targetCode(request, accounts)}`
  const call =
    options.length === 0 ? url : `${url}, {\n${options.map((option) => `      ${option},\n`).join('')}    }`
  return [
    "import { startNetwork } from 'desktop-pds/testing'",
    "import { expect, test } from 'vitest'",
    '',
    `test(${literal(`${methodOf(request)} answers ${error ?? status}`)}, async () => {`,
    ...(isWhole(request) ? [] : [`  // Replace each ${hidden} by a value: it was a secret, or too long.`]),
    '  const network = await startNetwork()',
    '  try {',
    ...[...accounts.values()].map(
      (name) => `    const ${name} = await network.accounts.create({ handle: '${name}' })`,
    ),
    `    const response = await fetch(${call})`,
    `    expect(response.status).toBe(${status})`,
    ...(error === undefined || verb === 'HEAD'
      ? []
      : [`    expect(await response.json()).toMatchObject({ error: ${literal(error)} })`]),
    '  } finally {',
    '    await network.stop()',
    '  }',
    '})',
    '',
  ].join('\n')
}

const admin = "'Basic ' + btoa('admin:admin')"
const caller = "'Bearer ' + alice.session.accessJwt"

/** Names of accounts by their DIDs, the caller first. */
type Accounts = ReadonlyMap<string, string>

const names = ['alice', 'bob', 'carol', 'dan', 'erin', 'frank']
const accountDid = /^did:plc:[a-z2-7]{24}$/
/** Texts in JSON that are a DID, without the names of members. */
const didInJson = /(?<!\\)"(did:[^"]+)"(?!\s*:)/g

/** Returns the accounts that a test creates: the caller, and those that the request names. */
function accountsOf({ did, scheme, status = 200, input = '', params }: InspectedRequest): Accounts {
  const isSignedIn = scheme !== undefined && scheme !== 'basic'
  const named = [...input.matchAll(didInJson)].map(([, found = '']) => found)
  // One that was refused may have named accounts that do not exist.
  const others = status < 400 ? [...params.map(({ value }) => value), ...named].filter(isAccount) : []
  const all = new Set([...(isSignedIn ? [did ?? ''] : []), ...others])
  return new Map([...all].map((each, index) => [each, names[index] ?? `account${index + 1}`]))
}

function isAccount(text: string): boolean {
  return accountDid.test(text)
}

/** The JSON of a body as code. */
function inputCode(json: string, accounts: Accounts): string {
  return json.replaceAll(didInJson, (text, found) => didCode(found, accounts) ?? text)
}

/** The path with its query as code. */
function targetCode(request: InspectedRequest, accounts: Accounts): string {
  const codes: string[] = []
  let text = ''
  for (const part of targetOf(request).split(/(?<==)(did%3A[^&]+)/)) {
    const did = didCode(part.replaceAll('%3A', ':'), accounts)
    if (did === undefined) text += part
    else {
      codes.push(literal(text), did)
      text = ''
    }
  }
  return [...codes, ...(text === '' ? [] : [literal(text)])].join(' + ')
}

/** The DID of an account of the test; undefined for others. */
function didCode(did: string, accounts: Accounts): string | undefined {
  const name = accounts.get(did)
  return name && `${name}.did`
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
