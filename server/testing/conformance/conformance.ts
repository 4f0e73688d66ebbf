/** `desktop-pds conformance`: measures what a personal data server must and should do, from outside. */
import type { parseArgs } from 'node:util'
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
import { type Credentials, isPublicDirectory, publicDirectory } from '../../operation/conformance/target.ts'
import { Skipped } from '../../operation/conformance/verdict.ts'
import { parseOptions } from '../arguments.ts'
import { UsageError } from '../exec.ts'
import { readExpected } from './expected.ts'
import { type Interruption, watchInterruption } from './interruption.ts'
import { originOf, preflight } from './preflight.ts'
import { reportProgress } from './progress.ts'

export const conformanceHelp = `Measures what a personal data server of the AT Protocol must and should do, from outside.

Usage: desktop-pds conformance --url URL [options]

  --url URL                   The server.
  --account HANDLE:PASSWORD   An account on it, with the password of the account. It signs in, and writes to the collection
                              example.desktop-pds.conformance, uploads small files and creates app passwords; all of it is
                              deleted again. An account is used by one check at a time.
  --admin PASSWORD            The password of the administrator, which is only tried on methods that read.
                              The variables CONFORMANCE_ACCOUNT and CONFORMANCE_ADMIN replace both options: other users of this
                              computer can read the arguments of a command.
  --create                    Creates accounts, moves one here and deletes them again. Only for a server for tests: its directory, which --plc
                              names, keeps their identities. Needs --admin, and --plc with another directory than the public one.
  --dev URL                   The address of "desktop-pds dev" whose mailbox has the codes, such as http://localhost:2580.
  --limits                    Guesses passwords of a name that does not exist until the server refuses this computer for some minutes.
  --plc URL                   The directory of did:plc identities. [${publicDirectory}]
  --expect FILE               Failures that are known: an id and a reason per line.
  --grep TEXT                 Only requirements whose id has the text.
  --list                      Lists the requirements and where each comes from.
  --json, --junit, --markdown The form of the report, in place of the table.

What cannot be tried is skipped with the reason. Ctrl-C ends the check and deletes what it wrote.
The exit code is 1 if the server fails a "must" that --expect does not name, or no longer answers; 2 if nothing could be measured.
`

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const options = {
  ...{ url: text, account: text, admin: text, plc: text, expect: text, grep: text },
  ...{ create: flag, limits: flag, dev: text },
  ...{ list: flag, json: flag, junit: flag, markdown: flag, help: { ...flag, short: 'h' } },
} as const

type Flags = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

/** @param print writes to the standard output @returns the exit code */
export async function runConformance(
  args: readonly string[],
  print: (text: string) => void = (text) => void process.stdout.write(text),
): Promise<number> {
  const interruption = watchInterruption(warn)
  try {
    const flags = read(args)
    if (flags.help) print(conformanceHelp)
    else if (flags.list) print(listOf(chosen(flags)))
    const code = flags.help || flags.list ? 0 : await run(flags, print, interruption)
    return (await interruption.isWritten()) ? code : 2
  } catch (error) {
    if (interruption.signal.aborted) return interrupted
    const { name, syscall } = error as NodeJS.ErrnoException
    if (name !== 'UsageError' && syscall === undefined) throw error
    process.stderr.write(`${(error as Error).message}\n`)
    return 2
  } finally {
    interruption.end()
  }
}

function read(args: readonly string[]): Flags {
  try {
    const { CONFORMANCE_ACCOUNT: account, CONFORMANCE_ADMIN: admin } = process.env
    return {
      ...(account && { account }),
      ...(admin && { admin }),
      ...parseOptions(args, options),
    }
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

/** The exit code of a command that was interrupted. */
const interrupted = 130
const warn = (text: string) => void process.stderr.write(`${text}\n`)

async function run(flags: Flags, print: (text: string) => void, { signal }: Interruption): Promise<number> {
  const options = { ...optionsOf(flags), signal }
  const format = formatOf(flags)
  const release = await preflight(options, warn)
  const progress = format && reportProgress(options.requirements.length, warn)
  const onResult = progress?.onResult ?? ((result: Result) => print(`${lineOf(result)}\n`))
  const report = await measure(options, onResult).finally(async () => {
    progress?.end()
    await release().catch((error: Error) => warn(`The account was not signed out: ${error.message}`))
  })
  print((format ?? summary)(report))
  if (report.ended === undefined && report.results.every(({ outcome }) => outcome === 'skipped')) {
    warn('Nothing was measured: every requirement was skipped.')
    return 2
  }
  return report.ended === 'interrupted' ? interrupted : report.hasFailed ? 1 : 0
}

/** @throws UsageError */
function optionsOf(flags: Flags): RunOptions {
  const { url = '', admin: adminPassword, create: creates, limits: reachesLimits, plc, dev } = flags
  const plcUrl = plc === undefined ? undefined : originOf('--plc', plc, publicDirectory)
  // The identities of accounts that are created stay in the directory.
  if (creates && isPublicDirectory(plcUrl))
    throw new UsageError('--create needs --plc, the URL of a directory for tests that the server uses.')
  if (creates && adminPassword === undefined) throw new UsageError('--create needs --admin.')
  return {
    ...{
      url: originOf('--url', url, 'https://pds.example.com'),
      adminPassword,
      plcUrl,
      creates,
      reachesLimits,
    },
    readCode: dev === undefined ? undefined : readerOf(originOf('--dev', dev, 'http://localhost:2580')),
    account: flags.account === undefined ? undefined : credentialsOf(flags.account),
    requirements: chosen(flags),
    ...(flags.expect !== undefined && {
      expected: readExpected(flags.expect, new Set(requirements.map(({ id }) => id))),
    }),
  }
}

/** Returns a reader of the codes in the mailbox of a network for tests. */
function readerOf(devUrl: string): (email: string) => Promise<string | undefined> {
  return async (email) => {
    const answer = await createHttp(devUrl)
      .send('/dev/mail')
      .catch((error: Error) => {
        throw new Skipped(`the mailbox does not answer: ${error.message}`)
      })
    const { json, status } = answer
    if (!Array.isArray(json?.messages))
      throw new Skipped(`--dev names no network for tests: it answers ${status}`)
    const messages: { to: string; code?: string }[] = json.messages
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
