/** The password hasher of all test servers of a process: starting its threads for each server would take most of a sign-up. */
import { createPasswordHasher } from '../../../server/identity/auth/passwords.ts'

/** Its idle threads end by themselves. */
export const passwords = { ...createPasswordHasher({ cost: 4 }), close: async () => {} }
