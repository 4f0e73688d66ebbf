/** One of the two data folders of the bench `big`, and the servers that run on it. */
import { readdirSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '../client.ts'
import type { BenchAccount } from '../operations.ts'
import { Measured } from '../processes.ts'
import { createPost } from '../records.ts'
import { type BigData, password } from './seed.ts'

const createRecord = '/xrpc/com.core.repo.createRecord'

/** Most milliseconds to the next checkpoint. */
const checkpointMs = 20 * 60_000

/** Only what the bench asks for runs, and nothing of the data is removed because it is much. */
const settings = { PDS_DAILY_BACKUPS: 'off', PDS_REMOTE_LIMIT: '4GB', PDS_DISK_RESERVE: '10MB' }

export class Side {
  readonly label: string
  readonly data: BigData
  /** Signed in. */
  readonly accounts: readonly BenchAccount[]

  private constructor(label: string, data: BigData, accounts: readonly BenchAccount[]) {
    this.label = label
    this.data = data
    this.accounts = accounts
  }

  /** Starts a server for the first time, so that it checks and completes the data, and signs all accounts in. */
  static async open(label: string, data: BigData): Promise<Side> {
    await using server = await Measured.pds(data.dir, [], settings)
    using client = new Client(server.url)
    const accounts: BenchAccount[] = []
    for (const { handle } of data.people) {
      const { json } = await client.call('createSession', { identifier: handle, password })
      accounts.push({ ...json, password })
    }
    return new Side(label, data, accounts)
  }

  start(nodeArgs?: readonly string[]): Promise<Measured> {
    return Measured.pds(this.data.dir, nodeArgs, settings)
  }

  /** Starts a server that makes backups by message: see `server.ts`. */
  startWithBackups(): Promise<Measured> {
    return Measured.pds(this.data.dir, [], settings, join(import.meta.dirname, 'server.ts'))
  }

  /** Makes a backup in the process of a server, and deletes it. */
  async backUp(server: Measured): Promise<void> {
    await server.ask('backup')
    await rm(join(this.data.dir, 'backups'), { recursive: true })
  }

  /** Makes a one-file backup in the process of a server, and deletes it. */
  async export(server: Measured): Promise<void> {
    const file = join(this.data.dir, 'one-file.backup')
    await server.ask(file)
    await rm(file)
  }

  /** The journals on disk: their names, the newest last, and their bytes. */
  journals(): { readonly names: readonly string[]; readonly bytes: number } {
    const { dir } = this.data
    const names = readdirSync(dir).filter((name) => name.endsWith('.journal'))
    const sizes = names.map((name) => statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0)
    return { names: names.sort(), bytes: sizes.reduce((sum, size) => sum + size, 0) }
  }

  /**
   * Writes posts by all accounts at once until a checkpoint begins: the server then adds a journal. Calls `onBegin` at once.
   * Returns the number of posts, and the bytes of the journals before. Throws if there is none for a long time.
   */
  async postUntilCheckpoint(
    { url }: Measured,
    onBegin: () => void = () => {},
  ): Promise<{ posts: number; journalBytes: number }> {
    const end = performance.now() + checkpointMs
    const newest = this.journals().names.at(-1)
    let posts = 0
    let journalBytes = 0
    let hasBegun = false
    const post = async (account: BenchAccount) => {
      using client = new Client(url)
      const { input, token } = createPost(account)
      while (!hasBegun) {
        await client.post(createRecord, input, token)
        posts++
        const { names, bytes } = this.journals()
        if (hasBegun) return
        if (performance.now() > end) throw new Error(`No checkpoint after ${posts} posts`)
        if (names.at(-1) === newest) journalBytes = bytes
        else {
          hasBegun = true
          onBegin()
        }
      }
    }
    // A server that `onBegin` kills answers no more.
    await Promise.all(
      this.accounts.map((account) =>
        post(account).catch((error: unknown) => {
          if (!hasBegun) throw error
        }),
      ),
    )
    return { posts, journalBytes }
  }

  /** Whether a checkpoint runs: it removes the older journals at its end. */
  get isCheckpointing(): boolean {
    return this.journals().names.length > 1
  }

  /** Writes one post. */
  async post(client: Client): Promise<void> {
    const [account] = this.accounts as [BenchAccount]
    const { input, token } = createPost(account)
    await client.post(createRecord, input, token)
  }
}
