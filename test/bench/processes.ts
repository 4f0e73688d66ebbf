/** The measured processes: the built server and the bare one, each on its own port. */
import { type ChildProcess, type Serializable, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { serverArgs } from '../../build/server-args.ts'

const root = join(import.meta.dirname, '../..')

export class Measured implements AsyncDisposable {
  readonly url: string
  readonly #child: ChildProcess
  readonly #exit: Promise<unknown>

  private constructor(child: ChildProcess, url: string) {
    this.#child = child
    this.#exit = once(child, 'exit')
    this.url = url
  }

  /**
   * The built server, as `npm run serve` starts it. `nodeArgs` come before its entry file.
   * @param env more settings
   * @param entry replaces its entry file
   */
  static pds(
    dataDir: string,
    nodeArgs: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
    entry: string = serverArgs.at(-1) ?? '',
  ): Promise<Measured> {
    return Measured.#start([...nodeArgs, ...serverArgs.slice(0, -1), entry], {
      PDS_DATA_DIR: dataDir,
      PDS_PORT: '0',
      PDS_HOST: '127.0.0.1',
      PDS_PUBLIC_URL: 'http://localhost:2583',
      PDS_INVITE_REQUIRED: 'off',
      PDS_ADMIN_PASSWORD: 'admin password of the bench',
      PDS_RATE_LIMITS: 'off',
      PDS_LOG_LEVEL: 'error',
      ...env,
    })
  }

  /** The baseline: see bare-server.ts. */
  static bare(dir: string): Promise<Measured> {
    return Measured.#start([join(import.meta.dirname, 'bare-server.ts'), dir], {})
  }

  /** The base of the gate: see bare-express.ts. */
  static bareExpress(): Promise<Measured> {
    return Measured.#start([join(import.meta.dirname, 'bare-express.ts')], {})
  }

  static async #start(args: readonly string[], env: Record<string, string>): Promise<Measured> {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    const lines = createInterface({ input: child.stdout ?? process.stdin })
    const url = await new Promise<string>((resolve, reject) => {
      lines.on('line', (line) => {
        const [, found] = /^listening on (\S+)$/.exec(line) ?? []
        if (found !== undefined) resolve(found)
      })
      child.once('exit', (code) => reject(new Error(`${args.at(-1)} exited with ${code} before it listened`)))
    })
    return new Measured(child, url)
  }

  /** Resident memory in megabytes of 10^6 bytes; NaN on systems without /proc. */
  residentMegabytes(): number {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(this.#proc('status')) ?? []
    return (Number(kilobytes) * 1024) / 1e6
  }

  /** CPU time of the process and its threads so far, in microseconds; NaN on systems without /proc. */
  cpuMicroseconds(): number {
    const stat = this.#proc('stat')
    // proc(5): fields 14 and 15, user and system time in hundredths of a second.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  }

  /** Bytes that the process has caused to be written to disk; NaN on systems without /proc. */
  writtenBytes(): number {
    return Number(/^write_bytes: (\d+)$/m.exec(this.#proc('io'))?.[1])
  }

  #proc(file: string): string {
    try {
      return readFileSync(`/proc/${this.#child.pid}/${file}`, 'utf8')
    } catch {
      return ''
    }
  }

  /** Sends a message to the process and resolves with its reply. */
  async ask<Answer>(question: Serializable): Promise<Answer> {
    this.#child.send(question)
    const [answer] = await once(this.#child, 'message')
    return answer as Answer
  }

  /** Ends the process without a chance to clean up. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exit
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill('SIGTERM')
    await this.#exit
  }
}
