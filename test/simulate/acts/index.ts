/** All acts, by the names under which plans choose them. */
import { createAccount, signIn } from './accounts.ts'
import type { Act } from './act.ts'
import { check } from './check.ts'
import { failDisk, failLink, heal, kill, start, wait } from './faults.ts'
import { uploadBlob } from './media.ts'
import { applyWrites, createRecord, deleteRecord, putRecord, repeatWrite } from './records.ts'

import { mute, setNotifications, setPreferences, subscribe, updateSeen } from './settings.ts'

export const acts: Readonly<Record<string, Act>> = {
  ...{ createAccount, signIn, createRecord, deleteRecord },
  ...{ putRecord, applyWrites, repeatWrite },
  ...{ mute, subscribe, setNotifications, setPreferences, updateSeen },
  uploadBlob,
  ...{ kill, failDisk, start, failLink, heal, wait },
  ...{ check },
}
