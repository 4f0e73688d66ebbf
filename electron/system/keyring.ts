/** The keyring of the system, through Electron's `safeStorage`. */
import { safeStorage } from 'electron'
import type { Logger } from '../../server/util/log.ts'

/** `plain`: only the permissions of the file protect a secret. */
export type Protection = 'system' | 'plain'

/** The first bytes that Chromium writes on Linux when it encrypts with a fixed key that is public. */
const fixedKeyPrefix = 'v10'

/** Whether the system's keyring protects encrypted values. Stays pending while the keyring asks for its password. */
export async function detectProtection(log: Logger): Promise<Protection> {
  try {
    if (!(await safeStorage.isAsyncEncryptionAvailable())) return 'plain'
    if (process.platform !== 'linux') return 'system'
    if (['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend())) return 'plain'
    // The backend is guessed from the desktop's name. Only encrypted bytes show whether its daemon runs.
    const probe = await safeStorage.encryptStringAsync('probe')
    return probe.toString('latin1').startsWith(fixedKeyPrefix) ? 'plain' : 'system'
  } catch (error) {
    log.warn({ err: error }, 'keyring unavailable')
    return 'plain'
  }
}

/** First in a file: whether the rest is encrypted by the keyring or stored as it is. */
const sealed = Buffer.from('sealed\n')
const plain = Buffer.from('plain\n')

export async function seal(value: string, protection: Protection): Promise<Buffer> {
  if (protection === 'plain') return Buffer.concat([plain, Buffer.from(value)])
  return Buffer.concat([sealed, await safeStorage.encryptStringAsync(value)])
}

/** Rejects if another keyring encrypted the content, or if the keyring is temporarily unavailable. */
export async function unseal(content: Buffer): Promise<{ result: string; shouldReEncrypt: boolean }> {
  if (content.indexOf(plain) === 0)
    return { result: content.subarray(plain.length).toString(), shouldReEncrypt: false }
  return safeStorage.decryptStringAsync(content.subarray(sealed.length))
}
