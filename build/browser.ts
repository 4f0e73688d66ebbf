/** Finds or installs Chromium, which the tests run in and the icons are drawn with. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright'

const playwright = join(import.meta.dirname, '../node_modules/playwright/cli.js')
/** The shell has no windows, and the tests take a third less time in it. Not every system has the package. */
const packages = ['chromium-headless-shell', 'chromium']
type Environment = Readonly<NodeJS.ProcessEnv>

/** Returns `CHROMIUM`, Playwright's own or the system's Chromium or Chrome; undefined if none of them runs. */
export function findChromium(env: Environment = process.env): string | undefined {
  const candidates = [env.CHROMIUM, chromium.executablePath(), ...systemChromiums(env)]
  return candidates.find((path) => path && existsSync(path) && runs(path))
}

/** Finds Chromium or installs it, and prints its steps. Throws an error with the command to run. */
export function ensureChromium(env: Environment = process.env): string {
  const found = findChromium(env)
  if (found) return found
  print('The tests need Chromium, and there is none. Downloading it (170 MB)')
  attempt(process.execPath, [playwright, 'install', '--no-shell', 'chromium'], env)
  const installed = findChromium(env) ?? installPackages(env)
  if (installed) return installed
  throw new Error(
    'Chromium could not be installed. Run `npx playwright install --with-deps chromium`, ' +
      'or set CHROMIUM to the path of a Chromium or Chrome.',
  )
}

/** Installs with apt-get, without asking for a password: libraries that the download lacks, else the system's Chromium. */
function installPackages(env: Environment): string | undefined {
  if (process.platform !== 'linux' || !findCommand('apt-get', env)) return undefined
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '--non-interactive']
  if (sudo.length > 0 && !attempt('sudo', ['--non-interactive', 'true'], env)) return undefined
  if (existsSync(chromium.executablePath())) {
    print('Installing libraries for Chromium with apt-get')
    attempt(process.execPath, [playwright, 'install-deps', 'chromium'], env)
    const found = findChromium(env)
    if (found) return found
  }
  const [command = '', ...args] = [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq']
  attempt(command, [...args, 'update'], env)
  for (const name of packages) {
    print(`Installing the package ${name} with apt-get`)
    attempt(command, [...args, 'install', '--yes', '--no-install-recommends', name], env)
    const found = findChromium(env)
    if (found) return found
  }
  return undefined
}

function systemChromiums(env: Environment): string[] {
  if (process.platform === 'darwin') {
    return ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)
  }
  if (process.platform === 'win32') {
    return [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA]
      .filter((folder) => folder !== undefined)
      .map((folder) => join(folder, 'Google/Chrome/Application/chrome.exe'))
  }
  return ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
    .map((name) => findCommand(name, env))
    .filter((path) => path !== undefined)
}

function findCommand(name: string, env: Environment): string | undefined {
  const folders = env.PATH?.split(delimiter) ?? []
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** False for a Chromium that lacks libraries, and for Ubuntu's placeholder without the snap. */
function runs(path: string): boolean {
  // On Windows it would open a window.
  return process.platform === 'win32' || spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0
}

/** Runs a command with its progress on the terminal, and prints the first error if it fails. */
function attempt(command: string, args: readonly string[], env: Environment): boolean {
  const { status, stderr, error } = spawnSync(command, args, {
    env: { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '10000', ...env },
    stdio: ['ignore', process.stdout.isTTY ? 'inherit' : 'ignore', 'pipe'],
    encoding: 'utf8',
  })
  if (status === 0) return true
  const reason = error?.message ?? /^(Error|E): .*/m.exec(stderr)?.[0] ?? `exit code ${status}`
  print(`That failed: ${reason}`)
  return false
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
