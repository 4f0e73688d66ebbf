/** `desktop-pds conformance`: measures what a personal data server must and should do, from outside. */
import { parseArgs } from 'node:util'
import {
  type Format,
  json,
  junit,
  lineOf,
  listOf,
  markdown,
  summary,
} from '../../operation/conformance/formats.ts'
import { createHttp } from '../../operation/conformance/http.ts'
import { areaOf } from '../../operation/conformance/requirement.ts'
import { requirements } from '../../operation/conformance/requirements.ts'
import { measure, type Result, type RunOptions } from '../../operation/conformance/runner.ts'
import { type Credentials, publicDirectory } from '../../operation/conformance/target.ts'
import { UsageError } from '../exec.ts'
import { readExpected } from './expected.ts'

export const conformanceHelp = `Measures what a personal data server of the AT Protocol must and should do, from outside.

Usage: desktop-pds conformance --url URL [options]

  --url URL                   The server.
  --account HANDLE:PASSWORD   An account on it. It signs in, and writes to the collection example.desktop-pds.conformance,
                              uploads small files and creates app passwords; all of it is deleted again.
  --admin PASSWORD            The password of the administrator, which is only tried on methods that read.
  --create                    Creates accounts, moves one here and deletes them again. Only for a server for tests: its directory, which --plc
                              names, keeps their identities. Needs --admin, and --plc with another directory than the public one.
  --dev URL                   The address of "desktop-pds dev" whose mailbox has the codes, such as http://localhost:2580.
  --plc URL                   The directory of did:plc identities. [${publicDirectory}]
  --expect FILE               Failures that are known: an id and a reason per line.
  --grep TEXT                 Only requirements whose id has the text.
  --list                      Lists the requirements and where each comes from.
  --json, --junit, --markdown The form of the report, in place of the table.

What cannot be tried is skipped with the reason. The exit code is 1 if the server fails a "must" that --expect does not name.
`

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const options = {
  ...{ url: text, account: text, admin: text, plc: text, expect: text, grep: text },
  ...{ create: flag, dev: text },
  ...{ list: flag, json: flag, junit: flag, markdown: flag, help: { ...flag, short: 'h' } },
} as const

const signals = ['SIGINT', 'SIGTERM'] as const

type Flags = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

/** @param print writes to the standard output @returns the exit code */
export async function runConformance(
  args: readonly string[],
  print: (text: string) => void = (text) => void process.stdout.write(text),
): Promise<number> {
  try {
    const flags = read(args)
    if (flags.help) print(conformanceHelp)
    else if (flags.list) print(listOf(chosen(flags)))
    else return await run(flags, print)
    return 0
  } catch (error) {
    const { name, syscall } = error as NodeJS.ErrnoException
    if (name !== 'UsageError' && syscall === undefined) throw error
    process.stderr.write(`${(error as Error).message}\n`)
    return 2
  }
}

function read(args: readonly string[]): Flags {
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/\.?(?:\n|$)/)
    throw new UsageError(`${sentence}. See desktop-pds conformance --help.`)
  }
}

function chosen({ grep = '' }: Flags) {
  const found = requirements.filter(({ id }) => id.includes(grep))
  if (found.length === 0) throw new UsageError(`No requirement has ${grep} in its id. --list shows all.`)
  return found
}

async function run(flags: Flags, print: (text: string) => void): Promise<number> {
  const { url, admin: adminPassword, plc: plcUrl } = flags
  if (!url || !isHttpUrl(url))
    throw new UsageError('--url must be the URL of a server, such as https://pds.example.com.')
  for (const name of ['plc', 'dev'] as const)
    if (flags[name] !== undefined && !isHttpUrl(flags[name])) throw new UsageError(`--${name} must be a URL.`)
  const format = formatOf(flags)
  const expected =
    flags.expect === undefined
      ? undefined
      : readExpected(flags.expect, new Set(requirements.map(({ id }) => id)))
  const report = await measureUntilSignal(
    {
      ...{ url, adminPassword, plcUrl, requirements: chosen(flags), creates: flags.create },
      readCode: flags.dev === undefined ? undefined : readerOf(flags.dev),
      account: flags.account === undefined ? undefined : credentialsOf(flags.account),
      ...(expected && { expected }),
    },
    format ? undefined : (result) => print(`${lineOf(result)}\n`),
  )
  print((format ?? summary)(report))
  if (report.isStopped) process.stderr.write('The measurement was stopped.\n')
  return report.hasFailed || report.isStopped ? 1 : 0
}

/** A first signal ends the measurement, which deletes what it has written. A second one ends the process at once. */
async function measureUntilSignal(options: RunOptions, onResult?: (result: Result) => void) {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  for (const name of signals) process.once(name, stop)
  try {
    const report = await measure({ ...options, signal: stopping.signal }, onResult)
    return { ...report, isStopped: stopping.signal.aborted }
  } finally {
    for (const name of signals) process.off(name, stop)
  }
}

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '')
}

/** Returns a reader of the codes in the mailbox of a network for tests. */
function readerOf(devUrl: string): (email: string) => Promise<string | undefined> {
  return async (email) => {
    const { json } = await createHttp(new URL(devUrl).origin).send('/dev/mail')
    const messages: { to: string; code?: string }[] = json?.messages ?? []
    return messages.find(({ to, code }) => to === email && code !== undefined)?.code
  }
}

/** @throws UsageError */
function credentialsOf(account: string): Credentials {
  // A handle and an email address have no colon, but a DID has.
  const [, identifier, password] = /^(did:[a-z]+:[^:]+|[^:]+):(.+)$/s.exec(account) ?? []
  if (identifier === undefined || password === undefined)
    throw new UsageError('--account must be HANDLE:PASSWORD.')
  return { identifier, password }
}

/** @returns undefined for the table @throws UsageError */
function formatOf(flags: Flags): Format | undefined {
  const formats = { json, junit, markdown }
  const names = (['json', 'junit', 'markdown'] as const).filter((name) => flags[name])
  if (names.length > 1)
    throw new UsageError(`Choose one of ${names.map((name) => `--${name}`).join(' and ')}.`)
  return names[0] && formats[names[0]]
}

/** The areas, for documents and tests. */
export const areas: readonly string[] = [...new Set(requirements.map(areaOf))]
