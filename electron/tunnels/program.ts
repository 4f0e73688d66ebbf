/** Runs programs that the person has installed: finds them, and keeps their output. They are started without a shell. */
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { createInterface } from 'node:readline'

/** The output of a program, and how it ended. */
export interface Ran {
  /** Null if it was ended by a signal or by its time limit. */
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly timeoutMs: number
  /** Called with all that was printed so far, on both channels. */
  readonly onText?: (text: string) => void
  readonly signal?: AbortSignal
}

/** Characters of each channel that are kept. */
const maxText = 500_000

/**
 * Returns the path of a program; undefined if it is not installed.
 * @param places paths at which its installers put it, after those of PATH
 */
export async function findProgram(
  name: string,
  places: readonly string[],
  env = process.env,
): Promise<string | undefined> {
  const file = process.platform === 'win32' ? `${name}.exe` : name
  // A relative folder in PATH depends on where the app was started.
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  for (const path of [...folders.map((folder) => join(folder, file)), ...places]) {
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return undefined
}

/** A program that runs until it is stopped. */
export interface Running {
  /** Resolves with its status, null after a signal. Rejects if it cannot be started. */
  readonly done: Promise<number | null>
  /** Asks it to end, and ends it after some seconds. */
  stop(): Promise<void>
}

/** How long a program may take to end when asked. */
const stopMs = 5000

/**
 * Starts a program that goes on. It ends with this process, too.
 * @param env variables besides those of this process: unlike arguments, other users cannot see them
 * @param onLine called with each line that it prints on either channel
 */
export function startProgram(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  onLine: (line: string) => void,
): Running {
  const child = start(path, args, env)
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  for (const channel of [child.stdout, child.stderr]) {
    if (channel) createInterface(channel).on('line', (line) => onLine(line.slice(0, maxText)))
  }
  const done = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  }).finally(() => process.removeListener('exit', kill))
  return {
    done,
    async stop() {
      child.kill()
      const timer = setTimeout(kill, stopMs)
      await done.catch(() => {})
      clearTimeout(timer)
    },
  }
}

/** Runs a program to its end. Rejects only if it cannot be started. */
export function runProgram(
  path: string,
  args: readonly string[],
  { timeoutMs, onText, signal }: RunOptions,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    // The program inside Tailscale.app is its command line only with this variable.
    const child = start(path, args, { TAILSCALE_BE_CLI: '1' })
    const kill = () => void child.kill('SIGKILL')
    const timer = setTimeout(kill, timeoutMs)
    signal?.addEventListener('abort', kill, { once: true })
    const texts = { stdout: '', stderr: '' }
    for (const channel of ['stdout', 'stderr'] as const) {
      child[channel]?.setEncoding('utf8').on('data', (text: string) => {
        texts[channel] = (texts[channel] + text).slice(0, maxText)
        onText?.(`${texts.stdout}\n${texts.stderr}`)
      })
    }
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.once('close', (status) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', kill)
      resolve({ status, ...texts })
    })
    if (signal?.aborted) kill()
  })
}

function start(path: string, args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(path, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
    env: { ...process.env, ...env },
  })
}
