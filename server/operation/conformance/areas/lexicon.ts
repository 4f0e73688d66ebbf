/** What follows from the lexicon of each method: its verb, its caller, its required members, their types, its output. */
import { jsonToLex } from '@atproto/lex-json'
import { accountOf, provenOf } from '../account.ts'
import { errorOf, expectError, expectStatus, outputOf, refusals } from '../answers.ts'
import { incompleteOf, mistypedOf, requiredOf } from '../examples.ts'
import { type Answer, type Ask, expectUnlimited, isAbsent, isSame } from '../http.ts'
import { type MethodUnderTest, methods } from '../methods.ts'
import { repositoryOf } from '../repository.ts'
import { must, type Requirement, should } from '../requirement.ts'
import { lexicon, spec } from '../sources.ts'
import { shared, type Target } from '../target.ts'
import { expect, Skipped } from '../verdict.ts'

/** Procedures that change nothing of an account, or only what is deleted again, even if a server accepts a wrong call. */
const harmless = [
  ...['server.createSession', 'server.requestPasswordReset', 'server.resetPassword', 'server.confirmEmail'],
  ...['server.createAppPassword', 'server.revokeAppPassword', 'repo.createRecord', 'repo.putRecord'],
  ...['repo.deleteRecord', 'repo.applyWrites'],
]
const mayBeWrong = ({ name, verb, caller }: MethodUnderTest) =>
  caller !== 'admin' && (verb === 'GET' || harmless.includes(name))

/** Sends members as a body or as parameters. */
function askOf({ input, verb }: MethodUnderTest, values: Readonly<Record<string, unknown>>): Ask {
  if (input) return { input: values }
  const query = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(String) : String(value),
    ]),
  )
  return { query, method: verb }
}

/** The credentials of a caller. @throws Skipped */
async function tokenFor({ caller }: MethodUnderTest, target: Target): Promise<{ token?: string }> {
  if (caller === 'anyone') return {}
  const { accessJwt, refreshJwt } = await accountOf(target)
  return { token: caller === 'refresh' ? refreshJwt : accessJwt }
}

/** Expects that calls are refused as mistakes. */
async function expectRefused(
  method: MethodUnderTest,
  target: Target,
  calls: readonly (readonly [string, Readonly<Record<string, unknown>>])[],
): Promise<string> {
  const token = await tokenFor(method, target)
  const complete = await completeAnswer(method, target, token)
  for (const [name, values] of calls) {
    const answer = await target.call(method.nsid, { ...askOf(method, values), ...token })
    if (answer.status === 200) deferRevocation(method, target, answer)
    expect(answer.status === 400, `${name}: ${answer.asked} answered ${answer.status}${errorOf(answer)}`)
    expectError(answer, [400], ['InvalidRequest'])
    if (complete && isSame(answer, complete)) throw new Skipped(`${name}: a right call gets the same answer`)
  }
  return calls.map(([name]) => name).join(', ')
}

/** The answer to a call with all required members, of things that do not exist. Undefined if it could change the account. */
async function completeAnswer(method: MethodUnderTest, target: Target, token: Ask) {
  if (method.caller !== 'anyone') await provenOf(target)
  if (method.name.endsWith('AppPassword')) return undefined
  return target.call(method.nsid, { ...askOf(method, requiredOf(method)), ...token })
}

/** A server that accepts a wrong call has created an app password. */
function deferRevocation({ name }: MethodUnderTest, target: Target, { json }: Answer): void {
  if (name !== 'server.createAppPassword') return
  const ask = { input: { name: json?.name } }
  target.defer(async () => (await accountOf(target)).call('com.atproto.server.revokeAppPassword', ask))
}

const absentAnswer = (verb: string) =>
  shared((target: Target) => target.send('/xrpc/com.example.absent.getNothing', { method: verb }))

const absentAnswers = { GET: absentAnswer('GET'), POST: absentAnswer('POST') }

const wrongVerb = ({ verb }: MethodUnderTest) => (verb === 'GET' ? 'POST' : 'GET')

/** Whether the wrong verb is answered as for an absent method: many servers ask for credentials before they look for the method. */
async function isWrongAlike(method: MethodUnderTest, target: Target): Promise<boolean> {
  const verb = wrongVerb(method)
  return isSame(
    await target.send(`/xrpc/${method.nsid}`, { method: verb }),
    await absentAnswers[verb](target),
  )
}

function present(method: MethodUnderTest): Requirement {
  const { name, nsid, isCore, verb } = method
  const level = isCore ? must : should
  return level(`lexicon.${name}.present`, `The server has ${name}`, lexicon(nsid), async (target) => {
    const answer = await target.send(`/xrpc/${nsid}`, { method: verb })
    expectUnlimited(answer)
    const isPresent = answer.status < 500 && !isAbsent(answer)
    expect(isPresent, `${answer.asked} answered ${answer.status}${errorOf(answer)}`)
    if (isSame(answer, await absentAnswers[verb](target)) && (await isWrongAlike(method, target)))
      throw new Skipped('an absent method gets the same answer')
  })
}

function verb(method: MethodUnderTest): Requirement {
  const { name, nsid, verb } = method
  const source = spec('xrpc', 'Lexicon HTTP Endpoints')
  return must(`lexicon.${name}.verb`, `${name} is called with ${verb} alone`, source, async (target) => {
    const answer = await target.call(nsid, { method: wrongVerb(method) })
    expectStatus(answer, ...refusals)
    if (isSame(answer, await target.call(nsid, { method: verb })))
      throw new Skipped(`${verb} gets the same answer without its members`)
  })
}

function credentials(method: MethodUnderTest): readonly Requirement[] {
  const { name, nsid, caller } = method
  if (caller === 'anyone') return []
  const source = spec('xrpc', 'Summary of HTTP Status Codes')
  const check = async (target: Target) => {
    const answer = await target.call(nsid, { ...askOf(method, requiredOf(method)), ...bodyless(method) })
    expectError(answer, [401], ['AuthMissing', 'AuthenticationRequired'])
  }
  return [must(`lexicon.${name}.credentials`, `${name} without credentials is answered 401`, source, check)]
}

/** A method whose body is not JSON gets one byte. */
function bodyless({ verb, input, name }: MethodUnderTest): Ask {
  if (verb === 'GET' || input) return {}
  const isBinary = ['repo.uploadBlob', 'repo.importRepo'].includes(name)
  return isBinary
    ? {
        body: 'x',
        headers: { 'content-type': name === 'repo.importRepo' ? 'application/vnd.ipld.car' : 'text/plain' },
      }
    : {}
}

function required(method: MethodUnderTest): readonly Requirement[] {
  const { name, nsid } = method
  const calls = incompleteOf(method)
  if (calls.length === 0 || !mayBeWrong(method)) return []
  const title = `${name} without a required member is InvalidRequest`
  return [
    must(`lexicon.${name}.required`, title, lexicon(nsid), (target) => expectRefused(method, target, calls)),
  ]
}

function types(method: MethodUnderTest): readonly Requirement[] {
  const { name, nsid } = method
  const calls = mistypedOf(method)
  if (calls.length === 0 || !mayBeWrong(method)) return []
  const title = `${name} with a value of a wrong type is InvalidRequest`
  return [
    must(`lexicon.${name}.types`, title, lexicon(nsid), (target) => expectRefused(method, target, calls)),
  ]
}

/** Queries that answer any account. */
const readable = [
  ...['server.describeServer', 'server.getSession', 'server.listAppPasswords', 'server.checkAccountStatus'],
  ...['server.getAccountInviteCodes', 'server.getServiceAuth', 'repo.describeRepo', 'repo.listRecords'],
  ...[
    'repo.listMissingBlobs',
    'sync.getLatestCommit',
    'sync.getRepoStatus',
    'sync.listRepos',
    'sync.listBlobs',
  ],
  ...['identity.resolveHandle', 'identity.getRecommendedDidCredentials', 'admin.getAccountInfo'],
]

function output(method: MethodUnderTest): readonly Requirement[] {
  const { name, nsid, output, caller } = method
  if (!output || !readable.includes(name)) return []
  const check = async (target: Target) => {
    const values = { ...requiredOf(method), ...(await realValues(method, target)) }
    const credentials = caller === 'admin' ? adminOf(target) : await tokenFor(method, target)
    const json = outputOf(await target.call(nsid, { ...askOf(method, values), ...credentials }))
    const result = output.safeParse(jsonToLex(json))
    expect(result.success, result.success ? '' : `the output is not as the lexicon has it: ${result.message}`)
  }
  return [
    must(`lexicon.${name}.output`, `The output of ${name} is as its lexicon has it`, lexicon(nsid), check),
  ]
}

/** Members that name something on this server. */
async function realValues(method: MethodUnderTest, target: Target): Promise<object> {
  const names = Object.keys(requiredOf(method))
  if (!names.some((name) => ['did', 'repo', 'handle'].includes(name))) return {}
  const { did, handle } = await repositoryOf(target)
  const all: Readonly<Record<string, unknown>> = { did, repo: did, handle }
  return Object.fromEntries(names.filter((name) => name in all).map((name) => [name, all[name]]))
}

/** @throws Skipped */
export function adminOf({ adminPassword }: Target): Ask {
  if (adminPassword === undefined) throw new Skipped('it needs the password of the administrator: --admin')
  return asAdmin(adminPassword)
}

/** The credentials of the administrator. */
export function asAdmin(password: string): Ask {
  return { headers: { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` } }
}

export const lexicons: readonly Requirement[] = methods.flatMap((method) => [
  present(method),
  verb(method),
  ...credentials(method),
  ...required(method),
  ...types(method),
  ...output(method),
])
