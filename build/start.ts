/**
 * `npm start`: the desktop app. Without a display, or where Electron cannot be downloaded or started, it prints the reason in
 * one line and runs the same server, with the same user interface in the browser.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { electronBinary } from './electron-binary.ts'
import { serverArgs, serverEnv } from './server-args.ts'

const root = join(import.meta.dirname, '..')
const isDesktopRefused = process.argv.includes('--no-desktop')
const args = process.argv.slice(2).filter((arg) => arg !== '--no-desktop')

/** The desktop keeps its own settings. On the command line it accepts only the data folder. */
const dataDir =
  args.length === 1
    ? args[0]?.match(/^--data-dir=(.+)$/)?.[1]
    : args[0] === '--data-dir'
      ? args[1]
      : undefined
const isForDesktop = args.length === 0 || (dataDir !== undefined && args.length <= 2)

const hasDisplay = process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)

/** An exit by SIGTRAP within this time comes from Chromium's check of its sandbox. */
const startMs = 20_000
/** How long a download may stall before the server starts without the desktop app. */
const stallMs = 8_000

const reason = reasonAgainstDesktop()
if (reason !== undefined) serve(reason)
else {
  const binary = electronBinary() ?? (await fetchBinary())
  if (binary !== undefined) startDesktop(binary)
}

function reasonAgainstDesktop(): string | undefined {
  if (isDesktopRefused) return '--no-desktop'
  if (!isForDesktop) return 'Settings on the command line are for the server only'
  if (!hasDisplay) return 'There is no display'
  if (process.getuid?.() === 0) return 'Electron does not run as root'
  if (process.env.ELECTRON_OVERRIDE_DIST_PATH && electronBinary() === undefined) {
    return 'ELECTRON_OVERRIDE_DIST_PATH names a folder without Electron'
  }
  return undefined
}

/** Downloads Electron's binary. On failure it starts the server and returns undefined. */
async function fetchBinary(): Promise<string | undefined> {
  process.stdout.write('Downloading Electron for the desktop app (`npm start -- --no-desktop` skips it)\n')
  try {
    // Imported late: most starts download nothing.
    const { fetchElectron } = await import('./fetch-electron.ts')
    await fetchElectron({ onProgress: progressPrinter(), stallMs })
    const binary = electronBinary()
    if (binary === undefined) throw new Error('the download has no binary for this system')
    return binary
  } catch (error) {
    serve(`Electron could not be downloaded (${error instanceof Error ? error.message : error})`)
    return undefined
  }
}

/** Prints progress: rewrites one line on a terminal, else prints a line at every 25 %. */
function progressPrinter(): (transferred: number, total: number | null) => void {
  const { isTTY } = process.stdout
  let printed = -1
  return (transferred, total) => {
    if (total === null) return
    const percent = Math.floor((100 * transferred) / total)
    if (percent === printed || (!isTTY && percent % 25 !== 0)) return
    printed = percent
    const line = `  ${percent} % of ${Math.ceil(total / 1e6)} MB`
    const isLast = !isTTY || transferred === total
    process.stdout.write(`${isTTY ? '\r' : ''}${line}${isLast ? '\n' : ''}`)
  }
}

function startDesktop(file: string): void {
  const env = { ...process.env, ...(dataDir !== undefined && { PDS_DATA_DIR: dataDir }) }
  const child = spawn(file, [root], { env, stdio: 'inherit' })
  const startedAt = performance.now()
  follow(child, (signal) => {
    const isRefused = signal === 'SIGTRAP' && performance.now() - startedAt < startMs
    // Ubuntu 23.10 and later forbid user namespaces to programs without an AppArmor profile.
    if (isRefused) serve('Electron could not start, probably because this system forbids its sandbox')
    return isRefused
  })
}

function serve(reason: string): void {
  process.stdout.write(`${reason}: running the server without the desktop app.\n`)
  const child = spawn(process.execPath, [...serverArgs, ...args], {
    env: serverEnv,
    stdio: ['inherit', 'pipe', 'inherit'],
  })
  createInterface(child.stdout).on('line', (line) => {
    process.stdout.write(`${line}\n`)
    const port = /^listening on .*:(\d+)$/.exec(line)?.[1]
    if (port !== undefined) openInterface(`http://localhost:${port}`)
  })
  follow(child)
}

function openInterface(address: string): void {
  process.stdout.write(`The user interface is at ${address}\n`)
  if (!hasDisplay || !process.stdout.isTTY) return
  const [command = '', ...before] = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }[
    process.platform as string
  ] ?? ['xdg-open']
  // If the command is missing, the address is printed above.
  spawn(command, [...before, address], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}

/**
 * Passes signals on to the child and ends with its exit code.
 * @param isReplaced whether another child takes over after this exit
 */
function follow(
  child: ChildProcess,
  isReplaced: (signal: NodeJS.Signals | null) => boolean = () => false,
): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => child.kill(signal))
  }
  child.on('error', (error) => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    if (isReplaced(signal)) return
    process.exitCode = code ?? (signal === null ? 0 : 1)
  })
}
