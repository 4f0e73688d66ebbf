/**
 * `npm start`: the desktop app. Where it cannot be had (no binary of Electron, no display), it says so in one line and runs the same server,
 * with the same user interface in the browser.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { electronBinary } from './electron-binary.ts'

const root = join(import.meta.dirname, '..')
const args = process.argv.slice(2)

/** The desktop keeps its settings itself; only where its data is can be said at a start. */
const dataDir =
  args.length === 1
    ? args[0]?.match(/^--data-dir=(.+)$/)?.[1]
    : args[0] === '--data-dir'
      ? args[1]
      : undefined
const isForDesktop = args.length === 0 || (dataDir !== undefined && args.length <= 2)

const hasDisplay = process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
const binary = electronBinary()

/** A program that dies of Chromium's own check within this time has not been able to start. */
const startMs = 20_000

const reason = whyNot()
if (binary && reason === undefined) startDesktop(binary)
else serve(reason)

function whyNot(): string | undefined {
  if (!isForDesktop) return 'Settings on the command line are for the server alone'
  if (!binary) return 'The binary of Electron is not installed (npx install-electron fetches it)'
  if (!hasDisplay) return 'There is no display'
  if (process.getuid?.() === 0) return 'Electron does not run as root'
  return undefined
}

function startDesktop(file: string): void {
  const env = { ...process.env, ...(dataDir !== undefined && { PDS_DATA_DIR: dataDir }) }
  const child = spawn(file, [root], { env, stdio: 'inherit' })
  const startedAt = performance.now()
  follow(child, (signal) => {
    const couldNot = signal === 'SIGTRAP' && performance.now() - startedAt < startMs
    // Ubuntu, since 23.10, keeps user namespaces from programs that it has no profile of.
    if (couldNot) serve('Electron cannot start, perhaps because this system lets it make no sandbox')
    return couldNot
  })
}

function serve(reason: string | undefined): void {
  process.stdout.write(`${reason}: running the server without the desktop app.\n`)
  const main = join(root, 'dist/server/main.js')
  const child = spawn(process.execPath, ['--max-semi-space-size=4', main, ...args], {
    stdio: ['inherit', 'pipe', 'inherit'],
  })
  createInterface(child.stdout).on('line', (line) => {
    process.stdout.write(`${line}\n`)
    const port = /^listening on .*:(\d+)$/.exec(line)?.[1]
    if (port !== undefined) show(`http://localhost:${port}`)
  })
  follow(child)
}

function show(address: string): void {
  process.stdout.write(`The user interface is at ${address}\n`)
  if (!hasDisplay || !process.stdout.isTTY) return
  const [command = '', ...before] = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }[
    process.platform as string
  ] ?? ['xdg-open']
  // Where there is nothing to open it with, the address above must do.
  spawn(command, [...before, address], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}

/**
 * This process lives as long as the other, and ends as it does.
 * @param goesOn whether, after such an end, something else is followed
 */
function follow(child: ChildProcess, goesOn: (signal: NodeJS.Signals | null) => boolean = () => false): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => child.kill(signal))
  }
  child.on('error', (error) => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    if (goesOn(signal)) return
    process.exitCode = code ?? (signal === null ? 0 : 1)
  })
}
