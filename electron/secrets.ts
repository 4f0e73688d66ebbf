/**
 * Secrets of the desktop at rest, one file each: encrypted by the system's keyring where there is one. Where there is none, only the
 * permissions of the file protect them, and the settings say so.
 */
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { safeStorage } from 'electron'
import type { Logger } from '../server/log.ts'

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
  const protection = hasKeyring() ? 'system' : 'plain'
  const names: readonly Name[] = ['sessions', 'mail-password']
  const pathOf = (name: Name) => join(folder, name)
  const values = new Map<Name, string | null>()
  for (const name of names) values.set(name, await load(pathOf(name), log))
  let turn = Promise.resolve()

  const save = async (name: Name, value: string | null) => {
    if (value === null) return rm(pathOf(name), { force: true })
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const content =
      protection === 'system'
        ? Buffer.concat([sealed, safeStorage.encryptString(value)])
        : Buffer.concat([plain, Buffer.from(value)])
    const temporary = `${pathOf(name)}.tmp`
    await writeFile(temporary, content, { mode: 0o600, flush: true })
    await chmod(temporary, 0o600)
    await rename(temporary, pathOf(name))
  }

  return {
    protection,
    read: (name) => values.get(name) ?? null,
    write(name, value) {
      values.set(name, value)
      turn = turn
        .then(() => save(name, value))
        .catch((error: unknown) => log.error({ err: error, name }, 'a secret could not be kept'))
    },
    settled: () => turn,
  }
}

/** On Linux the library falls back to a fixed key that everybody knows: that is no keyring. */
function hasKeyring(): boolean {
  if (!safeStorage.isEncryptionAvailable()) return false
  return (
    process.platform !== 'linux' ||
    !['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend())
  )
}

/** Null when there is none, or when the keyring that sealed it is another now. */
async function load(path: string, log: Logger): Promise<string | null> {
  const content = await readFile(path).catch(() => undefined)
  if (!content) return null
  if (content.indexOf(plain) === 0) return content.subarray(plain.length).toString()
  try {
    return safeStorage.decryptString(content.subarray(sealed.length))
  } catch (error) {
    log.warn({ err: error, path }, 'a secret cannot be read with the keyring of this system')
    return null
  }
}
