/** All acts, by the names under which plans choose them. */
import { createAccount, signIn } from './accounts.ts'
import type { Act } from './act.ts'
import { failDisk, failLink, heal, kill, start, wait } from './faults.ts'
import { createRecord, deleteRecord } from './records.ts'

export const acts: Readonly<Record<string, Act>> = {
  ...{ createAccount, signIn, createRecord, deleteRecord },
  ...{ kill, failDisk, start, failLink, heal, wait },
}
