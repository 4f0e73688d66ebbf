/** `desktop-pds dev`: a network for tests, until it is stopped or the command that it runs has ended. */
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { randomInt } from '../util/random.ts'
import { systemTime } from '../util/timers.ts'
import { isTimeOfNetwork } from './clock.ts'
import { passed, runCommand, UsageError } from './exec.ts'
import type { Network, NetworkOptions } from './network.ts'

export const devHelp = `Runs a network for tests on this computer: servers, a directory, an event stream and a mailbox.
Everything is in memory and forgotten at the end. Passwords and keys are public: it holds no data of people.

Usage: desktop-pds dev [options] [--exec COMMAND ARGUMENTS…]

  --seed N         The same calls give the same identifiers, keys and bytes; the clock stands still between calls.
                   Without it they are random, and the clock runs.
  --servers N      Number of servers, which read each other's events. [1]
  --port P         Port of the first server; the next ones follow, then the directory. [2683]
  --world FILE     Accounts and records to begin with, as JSON; \`sample\` and \`friends\` are built in.
  --now TIME       Time at which the clock begins, as ISO 8601. [the present; 2026-01-01 with a seed]
  --data-dir DIR   Keeps the data in a folder of its own when it ends, and continues there; --world is for a new folder.
  --exec COMMAND   Runs a command with PDS_URL, PLC_URL, STREAM_URL and DEV_URL in its environment, and ends with its exit code.
                   Everything after it belongs to the command. On Windows cmd.exe starts it.
`

export interface DevOptions extends NetworkOptions {
  readonly world?: string
  readonly dataDir?: string
  /** The command and its arguments. */
  readonly exec?: readonly string[]
}

/** Not that of an ordinary server: the pages of both would share what the browser stores. */
const defaultPort = 2683

/** Splits arguments at `--exec`. @throws UsageError */
export function readDevArgs(args: readonly string[]): DevOptions {
  const own = beforeExec(args)
  const exec = own.length === args.length ? undefined : args.slice(own.length + 1)
  if (exec && !exec[0]) throw new UsageError('--exec needs a command.')
  const { values } = parse(own)
  const { seed, servers, port, world, now, 'data-dir': dataDir } = values
  if (now !== undefined && !isTimeOfNetwork(now))
    throw new UsageError('--now must be a time from 1970 to 9999 such as 2026-01-01T12:00:00Z.')
  return {
    ...(seed === undefined
      ? ({ seed: randomInt(2 ** 31), clock: 'real' } as const)
      : { seed: whole('--seed', seed, 0, Number.MAX_SAFE_INTEGER) }),
    ...(now !== undefined && { now }),
    ...(servers !== undefined && { servers: whole('--servers', servers, 1, 9) }),
    port: port === undefined ? defaultPort : whole('--port', port, 0, 65_000),
    ...(world !== undefined && { world }),
    ...(dataDir !== undefined && { dataDir }),
    ...(exec && { exec }),
  }
}

/** The arguments after `--exec` belong to the command. */
function beforeExec(args: readonly string[]): readonly string[] {
  const at = args.indexOf('--exec')
  return at < 0 ? args : args.slice(0, at)
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: [...args],
      options: { seed: text, servers: text, port: text, world: text, now: text, 'data-dir': text },
    })
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/\.?(?:\n|$)/)
    throw new UsageError(`${sentence}. See desktop-pds dev --help.`)
  }
}

function whole(flag: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new UsageError(`${flag} must be a whole number from ${least} to ${most}.`)
}

/** @returns the exit code */
export async function runDev(args: readonly string[]): Promise<number> {
  if (beforeExec(args).some((arg) => arg === '--help' || arg === '-h')) {
    process.stdout.write(devHelp)
    return 0
  }
  try {
    const { exec, dataDir, ...options } = readDevArgs(args)
    if (dataDir === undefined) return await runNetwork(options, exec)
    const { openDataFolder, refusalOf } = await import('./data-folder.ts')
    const folder = await openDataFolder(dataDir)
    try {
      const { servers, clock } = options
      const now = beginOf(options)
      const later = now === undefined ? undefined : new Date(now)
      const from = await folder.load(servers, later)
      if (from && clock !== 'real') requireLater(from.sources.at, later)
      const continued = from && { from, servers: from.disks.length }
      return await runNetwork({ ...options, ...continued }, exec, (network) => folder.save(network))
    } catch (error) {
      throw refusalOf(error, dataDir)
    } finally {
      await folder.close()
    }
  } catch (error) {
    const sentence = sentenceOf(error as NodeJS.ErrnoException)
    process.stderr.write(`${sentence ?? (error as Error).stack}\n`)
    return sentence === undefined ? 1 : 2
  }
}

/** Returns when the clock of the network begins; undefined: at the time of its seed. */
function beginOf({ now, clock }: NetworkOptions): Date | string | undefined {
  return now ?? (clock === 'real' ? systemTime() : undefined)
}

/** V8 collects garbage earlier. See `v8Flags` in package.json, of which one has no effect in a process that runs. */
const smallHeap = ['--semi-space-growth-factor=1', '--heap-growing-percent=20']

/** @param atEnd called before the network stops */
async function runNetwork(
  options: NetworkOptions,
  exec: readonly string[] | undefined,
  atEnd: (network: Network) => Promise<void> = async () => {},
): Promise<number> {
  // Before the server is loaded: it takes 35 MB less.
  for (const flag of smallHeap) setFlagsFromString(flag)
  const { startNetwork } = await import('./network.ts')
  // Not earlier: loading the server takes half a second, by which the clock would be behind.
  const now = beginOf(options)
  const network = await startNetwork({ ...options, ...(now !== undefined && { now }) })
  try {
    const ends = exec ? runCommand(exec, environmentOf(network)) : untilStopped()
    process.stdout.write(summary(network))
    const code = await ends
    await atEnd(network)
    return code
  } finally {
    await network.stop()
  }
}

/** @throws UsageError if the clock of a folder would be set back */
function requireLater(at: Date, later: Date | undefined): void {
  if (later && later < at)
    throw new UsageError(`The clock of the folder is at ${at.toISOString()}: --now must not be earlier.`)
}

/** Returns a sentence for errors that a person can fix; undefined for others. */
function sentenceOf({ name, code, message, syscall }: NodeJS.ErrnoException): string | undefined {
  if (code === 'EADDRINUSE')
    return `A port is in use by another program. Choose another with --port (${message}).`
  if (code === 'EACCES' && syscall === 'listen')
    return `This user may not listen on a port. Choose another with --port (${message}).`
  const known = ['UsageError', 'WorldError', 'DataFolderError', 'StoreLocked']
  // Other errors of the system are of files that the arguments name.
  return known.includes(name) || syscall !== undefined ? message : undefined
}

export function environmentOf({ url, servers, plc, stream, devUrl }: Network): Record<string, string> {
  const others = servers.slice(1).map(({ url }, index) => [`PDS_URL_${index + 2}`, url])
  return {
    PDS_URL: url,
    ...Object.fromEntries(others),
    PLC_URL: plc.url,
    STREAM_URL: stream.url,
    DEV_URL: devUrl,
  }
}

function summary(network: Network): string {
  const lines = Object.entries(environmentOf(network)).map(([name, value]) => `${name}=${value}`)
  const accounts = network.accounts.list().map(({ handle, password }) => `# ${handle.padEnd(20)} ${password}`)
  return `# A network for tests: its passwords and keys are public.\n${[...lines, ...accounts].join('\n')}\n`
}

function untilStopped(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  // A second signal ends the process at once.
  for (const signal of ['SIGINT', ...passed]) process.once(signal, () => resolve(0))
  return promise
}
