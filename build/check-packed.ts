/**
 * `node build/check-packed.ts [program]`: starts the program that `npm run dist` packed, with a temporary data folder,
 * creates an account, signs in and loads the user interface. Covers the worker threads and sql.js inside the archive.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../electron/server/free-port.ts'

/** A first start on a CI machine loads everything from a cold disk, and macOS verifies the program first. */
const startMs = 120_000
const exitMs = 30_000

const program = process.argv[2] ?? packedProgram()
const folder = mkdtempSync(join(tmpdir(), 'pds-packed-'))
const dataDir = join(folder, 'data')
const url = `http://localhost:${await freePort(0)}`

// Without these switches the system's keyring may open a prompt, which would block the check.
const child = spawn(program, ['--use-mock-keychain', '--password-store=basic'], {
  env: {
    ...process.env,
    PDS_DATA_DIR: dataDir,
    PDS_PORT: new URL(url).port,
    XDG_CONFIG_HOME: join(folder, 'config'),
  },
  stdio: 'inherit',
})
const exited = once(child, 'exit')
// A program that cannot be started emits `error` instead of `exit`. It rejects `exited`, which is awaited below.
exited.catch(() => {})

try {
  const startedAt = performance.now()
  await untilReady()
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  await signIn()
  await loadInterface()
  await stop(child)
  process.stdout.write(`packed program ready after ${seconds} s: signed in, interface loaded, stopped\n`)
} finally {
  child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

/** Returns the path of the unpacked program that electron-builder made for this system. */
function packedProgram(): string {
  const suffix = process.arch === 'arm64' ? '-arm64' : ''
  const places: Partial<Record<NodeJS.Platform, string>> = {
    darwin: `mac${suffix}/Desktop PDS.app/Contents/MacOS/Desktop PDS`,
    win32: `win${suffix}-unpacked/Desktop PDS.exe`,
    linux: `linux${suffix}-unpacked/desktop-pds`,
  }
  const file = join(import.meta.dirname, '../release', places[process.platform] ?? '')
  if (!existsSync(file)) throw new Error(`${file} does not exist. Run npm run dist first.`)
  return file
}

async function untilReady(): Promise<void> {
  const deadline = performance.now() + startMs
  const ended = exited.then(([code, signal]) => {
    throw new Error(`The program ended before its server was ready (${signal ?? `exit code ${code}`})`)
  })
  while (performance.now() < deadline) {
    const response = await Promise.race([
      ended,
      fetch(`${url}/xrpc/com.core.server.describeServer`).catch(() => undefined),
    ])
    if (response?.ok) return
    await Promise.race([ended, sleep(200)])
  }
  throw new Error(`The server was not ready after ${startMs / 1000} s`)
}

async function signIn(): Promise<void> {
  const password = 'correct horse battery'
  const { did } = await call('createAccount', { handle: 'alice.test', password })
  const { accessJwt } = await call('createSession', { identifier: 'alice.test', password })
  const session = await answer(
    fetch(`${url}/xrpc/com.core.server.getSession`, { headers: { authorization: `Bearer ${accessJwt}` } }),
  )
  if (session.did !== did) throw new Error(`getSession returned ${session.did} instead of ${did}`)
}

function call(method: string, input: object): Promise<Record<string, unknown>> {
  return answer(
    fetch(`${url}/xrpc/com.core.server.${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    }),
  )
}

async function answer(request: Promise<Response>): Promise<Record<string, unknown>> {
  const response = await request
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${text}`)
  return JSON.parse(text)
}

async function loadInterface(): Promise<void> {
  const page = await (await fetch(url)).text()
  const parts = [...page.matchAll(/(?:src|href)="\.?(\/[^"]+)"/g)].map(([, path]) => path)
  if (parts.length < 3) throw new Error(`The page refers to ${parts.length} files: ${page}`)
  for (const path of parts) {
    const { status } = await fetch(url + path)
    if (status !== 200) throw new Error(`${path}: ${status}`)
  }
}

/** Asks the program to stop. Windows has no such signal and ends it at once. */
async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  const ended = await Promise.race([exited, sleep(exitMs, undefined, { ref: false })])
  if (!ended) throw new Error(`The program did not stop within ${exitMs / 1000} s`)
  if (process.platform === 'win32') return
  if (ended[0] !== 0) throw new Error(`The program stopped with ${ended[1] ?? `exit code ${ended[0]}`}`)
  if (!existsSync(join(dataDir, 'pds.sqlite'))) throw new Error(`There is no pds.sqlite in ${dataDir}`)
}
