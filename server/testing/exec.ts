/** The command that `desktop-pds dev --exec` runs. */
import { spawn } from 'node:child_process'

/** A mistake in the arguments; its message is for the person who typed them. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What `spawn` gets. */
interface Spawned {
  readonly file: string
  readonly args: readonly string[]
  /** Windows: the arguments are quoted already. */
  readonly windowsVerbatimArguments?: true
}

/** Characters with a meaning for cmd.exe. */
const special = /([()\][%!^"`<>&|;, *?])/g

/**
 * Returns how a command is started. On Windows by cmd.exe, because most commands of npm are .cmd files, which Node.js does not start; each
 * argument is quoted, so that it arrives as it is.
 */
export function spawnedBy(
  platform: NodeJS.Platform,
  [command = '', ...args]: readonly string[],
  shell = process.env.ComSpec ?? 'cmd.exe',
): Spawned {
  if (platform !== 'win32') return { file: command, args }
  const line = [command.replaceAll(special, '^$1'), ...args.map(quoted)].join(' ')
  return { file: shell, args: ['/d', '/s', '/c', `"${line}"`], windowsVerbatimArguments: true }
}

/** Quotes an argument as programs for Windows read it, then for cmd.exe. */
function quoted(argument: string): string {
  // Backslashes are doubled before a quote alone.
  const inside = argument.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')
  return `"${inside}"`.replaceAll(special, '^$1')
}

/** @returns the exit code of the command; 128 and the signal's number if a signal ended it @throws UsageError */
export function runCommand(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const { file, args, ...options } = spawnedBy(process.platform, command)
  const child = spawn(file, args, {
    ...options,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  })
  const pass = (signal: NodeJS.Signals) => child.kill(signal)
  for (const signal of passed) process.on(signal, pass)
  // A terminal sends it to both: the command decides.
  const ignore = () => {}
  process.on('SIGINT', ignore)
  child.on('error', ({ message }) => {
    const isQuoted = command.length === 1 && command[0]?.includes(' ')
    const hint = isQuoted ? '. Write the command and its arguments without quotes around both.' : ''
    reject(new UsageError(`${command[0]} cannot be started: ${message}${hint}`))
  })
  child.on('exit', (code, signal) => resolve(code ?? 128 + (signalNumbers[signal ?? 'SIGTERM'] ?? 15)))
  return promise.finally(() => {
    for (const signal of passed) process.off(signal, pass)
    process.off('SIGINT', ignore)
  })
}

const { signals: signalNumbers } = process.getBuiltinModule('node:os').constants as {
  signals: Partial<Record<NodeJS.Signals, number>>
}

/** Signals that a command gets as well. */
export const passed = ['SIGTERM', 'SIGHUP'] as const
