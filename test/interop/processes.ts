/** The directory, the reference server and this server, each as a process of its own that can be killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { poll } from './poll.ts'

export const adminPassword = 'the-admin-password'
export const root = join(import.meta.dirname, '../..')

/** Processes end with this one, also when it is interrupted. */
const running = new Set<ChildProcess>()
/** Their data, which are removed at the end. */
const folders = new Set<string>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** A program on a fixed port and data folder: it can be killed and started again. */
export class Program {
  readonly port: number
  readonly dataDir: string
  readonly #command: readonly string[]
  readonly #options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }
  #child: ChildProcess | undefined

  constructor(
    port: number,
    dataDir: string,
    command: readonly string[],
    cwd: string,
    env: Record<string, string> = {},
  ) {
    this.port = port
    this.dataDir = dataDir
    this.#command = command
    this.#options = { cwd, env: { PATH: process.env.PATH, HOME: dataDir, NODE_ENV: 'production', ...env } }
  }

  get url(): string {
    return `http://localhost:${this.port}`
  }

  async start(): Promise<this> {
    const child = spawn(process.execPath, this.#command, {
      ...this.#options,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    this.#child = child
    running.add(child)
    child.once('exit', () => running.delete(child))
    await Promise.race([
      answers(this.url),
      once(child, 'exit').then(() => Promise.reject(new Error(`${this.#command.join(' ')} ended`))),
    ])
    return this
  }

  /** Ends the process at once, as a power cut would. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (!child || child.exitCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }

  async remove(): Promise<void> {
    await this.kill()
    await rm(this.dataDir, { recursive: true, force: true })
  }
}

/** The reference did:plc directory, in memory. */
export async function directory(reference: string): Promise<Program> {
  const port = await freePort()
  return new Program(port, await dataDir(), ['directory.js', String(port)], reference).start()
}

/** The reference personal data server. */
export async function referenceServer(
  reference: string,
  plcUrl: string,
  smtpUrl: string,
  rotationKeyHex: string,
  settings: Record<string, string> = {},
): Promise<Program> {
  const port = await freePort()
  const folder = await dataDir()
  return new Program(port, folder, ['pds.js'], reference, {
    LOG_ENABLED: 'false',
    PDS_PORT: String(port),
    PDS_SERVICE_DID: `did:web:localhost%3A${port}`,
    PDS_DATA_DIRECTORY: folder,
    PDS_BLOBSTORE_DISK_LOCATION: join(folder, 'blobs'),
    PDS_DID_PLC_URL: plcUrl,
    PDS_DEV_MODE: 'true',
    PDS_INVITE_REQUIRED: 'false',
    PDS_ENABLE_DID_DOC_WITH_SESSION: 'true',
    PDS_EMAIL_SMTP_URL: smtpUrl,
    PDS_EMAIL_FROM_ADDRESS: 'server@reference.test',
    PDS_SERVICE_HANDLE_DOMAINS: '.test',
    // Preferences need an app view, which is never called.
    PDS_BSKY_APP_VIEW_URL: 'http://localhost:9',
    PDS_BSKY_APP_VIEW_DID: 'did:web:localhost%3A9',
    PDS_JWT_SECRET: 'a secret that signs session tokens',
    PDS_ADMIN_PASSWORD: adminPassword,
    PDS_PLC_ROTATION_KEY_K256_PRIVATE_KEY_HEX: rotationKeyHex,
    ...settings,
  }).start()
}

/** This server, from its sources. */
export async function ownServer(
  plcUrl: string,
  smtpUrl: string,
  settings: Record<string, string> = {},
): Promise<Program> {
  const port = await freePort()
  const folder = await dataDir()
  return new Program(port, folder, [join(root, 'server/main.ts')], root, {
    PDS_DATA_DIR: folder,
    PDS_PORT: String(port),
    PDS_PUBLIC_URL: `http://localhost:${port}`,
    PDS_INVITE_REQUIRED: 'off',
    PDS_PLC_URL: plcUrl,
    PDS_SMTP_URL: smtpUrl,
    PDS_ADMIN_PASSWORD: adminPassword,
    PDS_USER_DOMAINS: '.test',
    PDS_RATE_LIMITS: 'off',
    PDS_ALLOW_PRIVATE_TARGETS: 'on',
    PDS_LOG_LEVEL: 'error',
    ...settings,
  }).start()
}

async function dataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'interop-'))
  folders.add(folder)
  return folder
}

/** A port that nothing listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('Not listening on a port.')
  return address.port
}

/** Resolves when the server responds to requests, whatever the status. */
async function answers(url: string): Promise<void> {
  const isUp = () =>
    fetch(`${url}/_health`).then(
      () => true,
      () => undefined,
    )
  await poll(isUp, () => `${url} does not respond`)
}
