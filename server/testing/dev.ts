/** `desktop-pds dev`: a network for tests, until it is stopped or the command that it runs has ended. */
import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'
import { randomInt } from '../util/random.ts'
import { systemTime } from '../util/timers.ts'
import { type Network, type NetworkOptions, startNetwork } from './network.ts'

export const devHelp = `Runs a network for tests on this computer: servers, a directory, an event stream and a mailbox.
Everything is in memory and forgotten at the end. Passwords and keys are public: it holds no data of people.

Usage: desktop-pds dev [options] [--exec COMMAND ARGUMENTS…]

  --seed N         The same calls give the same identifiers, keys and bytes; the clock stands still between calls.
                   Without it they are random, and the clock runs.
  --servers N      Number of servers, which read each other's events. [1]
  --port P         Port of the first server; the next ones follow, then the directory. [2583]
  --world FILE     Accounts and records to begin with, as JSON; \`sample\` is built in.
  --now TIME       Time at which the clock begins, as ISO 8601. [the present; 2026-01-01 with a seed]
  --data-dir DIR   Keeps the data in a folder of its own and continues there.
  --exec COMMAND   Runs a command with PDS_URL, PLC_URL, STREAM_URL and DEV_URL in its environment, and ends with its exit code.
                   Everything after it belongs to the command.
`

/** A mistake in the arguments; its message is for the person who typed them. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export interface DevOptions extends NetworkOptions {
  readonly world?: string
  readonly dataDir?: string
  /** The command and its arguments. */
  readonly exec?: readonly string[]
}

const defaultPort = 2583

/** Splits arguments at `--exec`. @throws UsageError */
export function readDevArgs(args: readonly string[]): DevOptions {
  const at = args.indexOf('--exec')
  const exec = at < 0 ? undefined : args.slice(at + 1)
  if (exec?.length === 0) throw new UsageError('--exec needs a command.')
  const { values } = parse(at < 0 ? args : args.slice(0, at))
  const { seed, servers, port, world, now, 'data-dir': dataDir } = values
  if (now !== undefined && Number.isNaN(Date.parse(now)))
    throw new UsageError('--now must be a time such as 2026-01-01T12:00:00Z.')
  return {
    ...(seed === undefined
      ? ({ seed: randomInt(2 ** 31), clock: 'real', now: now ?? systemTime() } as const)
      : { seed: whole('--seed', seed, 0, Number.MAX_SAFE_INTEGER), ...(now !== undefined && { now }) }),
    ...(servers !== undefined && { servers: whole('--servers', servers, 1, 9) }),
    port: port === undefined ? defaultPort : whole('--port', port, 0, 65_000),
    ...(world !== undefined && { world }),
    ...(dataDir !== undefined && { dataDir }),
    ...(exec && { exec }),
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: [...args],
      options: { seed: text, servers: text, port: text, world: text, now: text, 'data-dir': text },
    })
  } catch (error) {
    throw new UsageError(`${(error as Error).message} See desktop-pds dev --help.`)
  }
}

function whole(flag: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new UsageError(`${flag} must be a whole number from ${least} to ${most}.`)
}

/** @returns the exit code */
export async function runDev(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(devHelp)
    return 0
  }
  try {
    const { exec, ...options } = readDevArgs(args)
    const network = await startNetwork(options)
    try {
      process.stdout.write(summary(network))
      return exec ? await run(exec, network) : await untilStopped()
    } finally {
      await network.stop()
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isExpected = error instanceof UsageError || code === 'EADDRINUSE'
    process.stderr.write(`${isExpected ? explained(code, message) : (error as Error).stack}\n`)
    return isExpected ? 2 : 1
  }
}

function explained(code: string | undefined, message: string): string {
  return code === 'EADDRINUSE'
    ? `A port is in use by another program. Choose another with --port (${message}).`
    : message
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
  const accounts = network.accounts.list().map(({ handle, did }) => `# ${handle}  ${did}`)
  return `# A network for tests: its passwords and keys are public.\n${[...lines, ...accounts].join('\n')}\n`
}

/** @returns the exit code of the command; 128 and the signal's number if a signal ended it */
function run([command = '', ...args]: readonly string[], network: Network): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const child = spawn(command, args, {
    stdio: 'inherit',
    env: { ...process.env, ...environmentOf(network) },
    shell: process.platform === 'win32',
  })
  // A terminal sends it to both: the command decides.
  const pass = (signal: NodeJS.Signals) => child.kill(signal)
  process.on('SIGTERM', pass)
  const ignore = () => {}
  process.on('SIGINT', ignore)
  child.on('error', (error) => reject(new UsageError(`${command} cannot be started: ${error.message}`)))
  child.on('exit', (code, signal) => resolve(code ?? 128 + (signalNumbers[signal ?? 'SIGTERM'] ?? 15)))
  return promise.finally(() => {
    process.off('SIGTERM', pass)
    process.off('SIGINT', ignore)
  })
}

const { signals: signalNumbers } = process.getBuiltinModule('node:os').constants as {
  signals: Partial<Record<NodeJS.Signals, number>>
}

function untilStopped(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  process.once('SIGINT', () => resolve(0))
  process.once('SIGTERM', () => resolve(0))
  return promise
}
