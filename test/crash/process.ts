/** The server as a process that can be killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename, join } from 'node:path'

export class ServerProcess {
  readonly #child: ChildProcess
  #stdout = ''
  #stderr = ''

  /** @param script the file that starts the server on the data directory, with further arguments */
  constructor(dataDir: string, script = join(import.meta.dirname, 'server.ts'), ...more: string[]) {
    this.#child = spawn(process.execPath, [bundleOf(script), dataDir, ...more])
    this.#child.stdout?.on('data', (chunk) => {
      this.#stdout += chunk
    })
    this.#child.stderr?.on('data', (chunk) => {
      this.#stderr += chunk
    })
  }

  /** Resolves with its URL once it listens. Throws with its standard error if it exits first. */
  async serving(): Promise<string> {
    for (;;) {
      const [, url] = /^listening on (\S+)$/m.exec(this.#stdout) ?? []
      if (url !== undefined) return url
      if (this.#child.exitCode !== null) throw new Error(`The server did not start: ${this.#stderr}`)
      await Promise.race([once(this.#child.stdout ?? this.#child, 'data'), once(this.#child, 'exit')])
    }
  }

  /** Its standard error. */
  get stderr(): string {
    return this.#stderr
  }

  /** Its standard output. */
  get stdout(): string {
    return this.#stdout
  }

  /** Asks for a backup; see `server.ts`. */
  backUp(): void {
    this.#child.kill('SIGUSR2')
  }

  /** Kills the process; unlike a power cut, this keeps the system's page cache. */
  async kill(): Promise<void> {
    const exit = once(this.#child, 'exit')
    if (this.#child.kill('SIGKILL')) await exit
  }
}

/** Returns the bundle of a script, which starts faster; the script itself outside Vitest. See `build/test-servers.ts`. */
function bundleOf(script: string): string {
  const folder = process.env.PDS_TEST_SERVERS
  return folder === undefined ? script : join(folder, `${basename(script, '.ts')}.js`)
}
