/**
 * Secrets of the desktop at rest, one file each: encrypted by the system's keyring where there is one. Where there is none, only the
 * permissions of the file protect them, and the settings say so.
 */
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { safeStorage } from 'electron'
import type { Logger } from '../server/util/log.ts'

type Name = 'sessions' | 'mail-password'

export interface Secrets {
  readonly protection: 'system' | 'plain'
  read(name: Name): string | null
  /** Null removes it. */
  write(name: Name, value: string | null): void
  /** Resolves once everything is on disk. */
  settled(): Promise<void>
}

/** First in a file: whether what follows is sealed by the system or as it is. */
const sealed = Buffer.from('sealed\n')
const plain = Buffer.from('plain\n')

export async function openSecrets(folder: string, log: Logger): Promise<Secrets> {
  const protection = (await hasKeyring()) ? 'system' : 'plain'
  const names: readonly Name[] = ['sessions', 'mail-password']
  const pathOf = (name: Name) => join(folder, name)
  const values = new Map<Name, string | null>()
  let turn = Promise.resolve()

  const save = async (name: Name, value: string | null) => {
    if (value === null) return rm(pathOf(name), { force: true })
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const content =
      protection === 'system'
        ? Buffer.concat([sealed, await safeStorage.encryptStringAsync(value)])
        : Buffer.concat([plain, Buffer.from(value)])
    const temporary = `${pathOf(name)}.tmp`
    await writeFile(temporary, content, { mode: 0o600, flush: true })
    await chmod(temporary, 0o600)
    await rename(temporary, pathOf(name))
  }

  const write = (name: Name, value: string | null) => {
    values.set(name, value)
    turn = turn
      .then(() => save(name, value))
      .catch((error: unknown) => log.error({ err: error, name }, 'a secret could not be kept'))
  }

  for (const name of names) {
    const { result, shouldReEncrypt } = await load(pathOf(name), log)
    if (shouldReEncrypt) write(name, result)
    else values.set(name, result)
  }
  return { protection, read: (name) => values.get(name) ?? null, write, settled: () => turn }
}

/** On Linux the library falls back to a fixed key that everybody knows: that is no keyring. */
async function hasKeyring(): Promise<boolean> {
  if (!(await safeStorage.isAsyncEncryptionAvailable())) return false
  return (
    process.platform !== 'linux' ||
    !['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend())
  )
}

interface Loaded {
  /** Null when there is none, or when the keyring that sealed it is another now. */
  readonly result: string | null
  /** Whether the keyring has another key for it now. */
  readonly shouldReEncrypt: boolean
}

async function load(path: string, log: Logger): Promise<Loaded> {
  const as = (result: string | null): Loaded => ({ result, shouldReEncrypt: false })
  const content = await readFile(path).catch(() => undefined)
  if (!content) return as(null)
  if (content.indexOf(plain) === 0) return as(content.subarray(plain.length).toString())
  try {
    return await safeStorage.decryptStringAsync(content.subarray(sealed.length))
  } catch (error) {
    log.warn({ err: error, path }, 'a secret cannot be read with the keyring of this system')
    return as(null)
  }
}
