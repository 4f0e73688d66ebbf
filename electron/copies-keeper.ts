/** Keeps the key of the copies and the passwords of their places in the system's keyring. */
import { type CredentialsKeeper, CredentialsUnavailable } from '../server/operation/copies/credentials.ts'
import type { Secrets } from './secrets.ts'
import { t } from './strings.ts'

export function keepCredentials(secrets: Secrets): CredentialsKeeper {
  return {
    async read() {
      // Without this check a new key would take the place of the one that the keyring holds back.
      if (!secrets.isLoaded('copies')) throw new CredentialsUnavailable(t.copies.keyringLocked)
      return secrets.read('copies') ?? undefined
    },
    async write(text) {
      secrets.write('copies', text)
      await secrets.settled()
    },
  }
}
