/** `npm run serve` as a process of its own, on a data folder of its own. It starts its server again when its owner changes places. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listOutbox, type OutboxMessage } from '../../../server/platform/mail/outbox.ts'
import { type Account, type Answer, ServerClient } from './client.ts'

const script = fileURLToPath(new URL('../../../server/main.ts', import.meta.url))

export class ServeProcess extends ServerClient {
  readonly folder: string
  readonly #child: ChildProcess
  readonly url: string

  private constructor(folder: string, child: ChildProcess, url: string) {
    super()
    this.folder = folder
    this.#child = child
    this.url = url
  }

  static async start(...args: string[]): Promise<ServeProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'pds-serve-'))
    const flags = ['--port', '0', '--data-dir', join(folder, 'data'), '--log-level', 'fatal', ...args]
    const stdio = ['ignore', 'pipe', 'inherit'] as const
    const child = spawn(process.execPath, ['--no-warnings', script, ...flags], { stdio: [...stdio] })
    let output = ''
    for await (const part of child.stdout) {
      output += part
      if (output.includes('data in ')) break
    }
    return new ServeProcess(folder, child, /listening on (\S+)/.exec(output)?.[1] ?? '')
  }

  get dataDir(): string {
    return join(this.folder, 'data')
  }

  /** Creates a folder beside the data folder, such as a disk. */
  async makeFolder(name: string): Promise<string> {
    const path = join(this.folder, name)
    await mkdir(path)
    return path
  }

  /** Repeats a query of administrators, also while the server starts again. Undefined while it does not answer. */
  async ask(name: string, auth: Account): Promise<Answer['body'] | undefined> {
    const answer = await this.get(`com.core.admin.${name}`, {}, auth).catch(() => undefined)
    return answer?.status === 200 ? answer.body : undefined
  }

  async mailsTo(email: string): Promise<OutboxMessage[]> {
    return (await listOutbox(this.dataDir)).filter(({ to }) => to === email).reverse()
  }

  async close(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill()
    await ended
    await rm(this.folder, { recursive: true, force: true })
  }
}
