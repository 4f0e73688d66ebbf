/**
 * Secrets of the desktop on disk, one file each, encrypted by the system's keyring where there is one.
 *
 * A keyring may not respond for minutes (a locked one at autologin, a prompt that waits for the person), so reading it never delays
 * the start for long: secrets that arrive later are reported to `onLateLoad`. A file that cannot be decrypted is renamed to
 * `*.unreadable` and tried again later; only a successful read or a new value of the person replaces it.
 */
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Logger } from '../../server/util/log.ts'
import { createSerializer } from '../../server/util/serialize.ts'
import { detectProtection, type Protection, seal, unseal } from '../system/keyring.ts'

export const secretNames = ['sessions', 'mail-password', 'copies', 'tunnel-token'] as const
export type SecretName = (typeof secretNames)[number]

export interface Secrets {
  /** `plain` until the keyring has responded. */
  readonly protection: Protection
  /** Whether its value is final (read, or known to be absent); false while the keyring is silent or fails to decrypt it. */
  isLoaded(name: SecretName): boolean
  /** Null if it is absent or still unreadable. */
  read(name: SecretName): string | null
  /** Null removes it. */
  write(name: SecretName, value: string | null): void
  /** Resolves once the value is on disk; `read` returns the earlier one until then, and after a failure. @throws Error */
  save(name: SecretName, value: string): Promise<void>
  /** Resolves once all writes are on disk, or when the keyring does not respond. */
  settled(): Promise<void>
  /** Calls the listener with the names of secrets that were read after the start. */
  onLateLoad(listener: (names: readonly SecretName[]) => void): void
}

/** How long the start waits for the keyring. */
const openMs = 8000
/** How long quitting waits for it. */
const settleMs = 2000
/** Delays before an unreadable secret is tried again. After the last one the next start tries. */
const retryMs = [2000, 10_000, 60_000, 600_000]

/** Opens the secrets; resolves after at most 8 seconds, with or without them. */
export async function openSecrets(folder: string, log: Logger): Promise<Secrets> {
  const store = new SecretStore(folder, log)
  const late = setTimeout(openMs, 'late', { ref: false })
  if (await Promise.race([store.opened, late])) log.warn('keyring did not respond in time')
  return store
}

class SecretStore implements Secrets {
  readonly #folder: string
  readonly #log: Logger
  readonly #values = new Map<SecretName, string | null>()
  readonly #unread = new Set<SecretName>(secretNames)
  readonly #unsaved = new Set<SecretName>()
  /** Everything that needs the keyring, one after the other, detection first. */
  readonly #serialize = createSerializer()
  readonly #listeners: ((names: readonly SecretName[]) => void)[] = []
  protection: Protection = 'plain'
  readonly opened: Promise<void>

  constructor(folder: string, log: Logger) {
    this.#folder = folder
    this.#log = log
    this.opened = this.#serialize(async () => {
      this.protection = await detectProtection(log)
      await this.#load(secretNames)
    })
  }

  onLateLoad(listener: (names: readonly SecretName[]) => void): void {
    this.#listeners.push(listener)
  }

  isLoaded(name: SecretName): boolean {
    return !this.#unread.has(name)
  }

  read(name: SecretName): string | null {
    return this.#values.get(name) ?? null
  }

  write(name: SecretName, value: string | null): void {
    this.#values.set(name, value)
    this.#unread.delete(name)
    this.#unsaved.add(name)
    void this.#serialize(() => this.#save(name, value))
  }

  save(name: SecretName, value: string): Promise<void> {
    this.#unsaved.add(name)
    return this.#serialize(async () => {
      try {
        await this.#writeFile(name, value)
      } finally {
        this.#unsaved.delete(name)
      }
      this.#values.set(name, value)
      this.#unread.delete(name)
    })
  }

  async settled(): Promise<void> {
    if (this.#unsaved.size === 0) return
    const late = setTimeout(settleMs, 'late', { ref: false })
    if (await Promise.race([this.#serialize(async () => {}), late]))
      this.#log.error({ names: [...this.#unsaved] }, 'secrets not saved, the keyring does not respond')
  }

  /** Reads secrets from disk. A value that was written meanwhile wins. */
  async #load(names: readonly SecretName[], attempt = 0): Promise<void> {
    const loaded: SecretName[] = []
    const unreadable: SecretName[] = []
    for (const name of names) {
      if (this.#values.has(name)) continue
      const value = await this.#readFile(name)
      if (value === undefined) unreadable.push(name)
      else this.#unread.delete(name)
      if (value != null && !this.#values.has(name)) {
        this.#values.set(name, value)
        loaded.push(name)
      }
    }
    if (unreadable.length > 0) this.#retry(unreadable, attempt)
    for (const listener of this.#listeners) listener(loaded)
  }

  #retry(names: readonly SecretName[], attempt: number): void {
    const delay = retryMs[attempt]
    if (delay === undefined) return
    void setTimeout(delay, undefined, { ref: false }).then(() =>
      this.#serialize(() => this.#load(names, attempt + 1)),
    )
  }

  /** @returns null if the file is missing, undefined if decryption fails */
  async #readFile(name: SecretName): Promise<string | null | undefined> {
    const path = this.#pathOf(name)
    const current = await readFile(path).catch(() => undefined)
    const content = current ?? (await readFile(unreadablePath(path)).catch(() => undefined))
    if (!content) return null
    const decrypted = await unseal(content).catch((error: unknown) => {
      this.#log.warn({ err: error, path }, 'secret cannot be decrypted, kept for later')
    })
    if (!decrypted) {
      if (current) await rename(path, unreadablePath(path)).catch(() => {})
      return undefined
    }
    if (decrypted.shouldReEncrypt || !current) await this.#save(name, decrypted.result)
    return decrypted.result
  }

  async #save(name: SecretName, value: string | null): Promise<void> {
    try {
      await this.#writeFile(name, value)
      this.#unsaved.delete(name)
    } catch (error) {
      this.#log.error({ err: error, name }, 'secret not saved')
    }
  }

  async #writeFile(name: SecretName, value: string | null): Promise<void> {
    const path = this.#pathOf(name)
    if (value === null) await rm(path, { force: true })
    else {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      const temporary = `${path}.tmp`
      await writeFile(temporary, await seal(value, this.protection), { mode: 0o600, flush: true })
      await chmod(temporary, 0o600)
      await rename(temporary, path)
    }
    await rm(unreadablePath(path), { force: true })
  }

  #pathOf(name: SecretName): string {
    return join(this.#folder, name)
  }
}

function unreadablePath(path: string): string {
  return `${path}.unreadable`
}
