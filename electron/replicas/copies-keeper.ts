/** Keeps the key of the copies and the passwords of their places in the system's keyring. */
import { setTimeout } from 'node:timers/promises'
import {
  type CredentialsKeeper,
  CredentialsUnavailable,
} from '../../server/operation/replicas/credentials.ts'
import type { Logger } from '../../server/util/log.ts'
import { t } from '../ground/strings.ts'
import type { Secrets } from '../settings/secrets.ts'

/** @param saveMs how long a change waits for the keyring, which may ask the person for its password */
export function keepCredentials(
  secrets: Pick<Secrets, 'isLoaded' | 'read' | 'save'>,
  log: Pick<Logger, 'error'>,
  saveMs = 10_000,
): CredentialsKeeper {
  let isSaving = false

  /** Returns `failed` instead of rejecting: its caller may have stopped waiting. */
  async function save(text: string): Promise<'saved' | 'failed'> {
    isSaving = true
    try {
      await secrets.save('copies', text)
      return 'saved'
    } catch (error) {
      log.error({ err: error }, 'credentials of the copies not saved')
      return 'failed'
    } finally {
      isSaving = false
    }
  }

  return {
    async read() {
      // The keyring may hold a key back: creating one then would replace it.
      if (!secrets.isLoaded('copies')) throw new CredentialsUnavailable(t.copies.keyringLocked)
      // A second new key would replace the one that a late keyring still saves.
      if (isSaving) throw new CredentialsUnavailable(t.copies.notSaved)
      return secrets.read('copies') ?? undefined
    },
    async write(text) {
      if (isSaving) throw new CredentialsUnavailable(t.copies.notSaved)
      const late = setTimeout(saveMs, 'late' as const, { ref: false })
      if ((await Promise.race([save(text), late])) !== 'saved')
        throw new CredentialsUnavailable(t.copies.notSaved)
    },
  }
}
