/** All acts, by the names under which plans choose them. */
import { createAccount } from './accounts.ts'
import type { Act } from './act.ts'
import { check } from './check.ts'
import { deleteAccount } from './deletion.ts'
import { failDisk, failLink, heal, kill, sleep, start, stop, wait } from './faults.ts'
import { changeHandle } from './handles.ts'
import { uploadBlob } from './media.ts'
import { changePassword, createAppPassword, revokeAppPassword, trespass } from './passwords.ts'
import { applyWrites, createRecord, deleteRecord, putRecord, repeatWrite } from './records.ts'
import { refreshSession, signIn, signOut } from './sessions.ts'
import { mute, setNotifications, setPreferences, subscribe, updateSeen } from './settings.ts'
import { activate, deactivate, moderate } from './status.ts'

export const acts: Readonly<Record<string, Act>> = {
  ...{ createAccount, createRecord, deleteRecord },
  ...{ putRecord, applyWrites, repeatWrite },
  ...{ mute, subscribe, setNotifications, setPreferences, updateSeen },
  uploadBlob,
  ...{ signIn, refreshSession, signOut },
  ...{ createAppPassword, revokeAppPassword, changePassword, trespass },
  ...{ deactivate, activate, moderate, deleteAccount, changeHandle },
  ...{ kill, stop, failDisk, start, failLink, heal, wait, sleep },
  ...{ check },
}
