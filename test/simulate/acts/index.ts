/** All acts, by the names under which plans choose them. */
import { createAccount } from './accounts.ts'
import type { Act } from './act.ts'
import { trespassAsApp, writeAsApp } from './app-calls.ts'
import { allowApp, exchangeCode, refreshGrant, revokeGrant } from './apps.ts'
import { exportRepository, importRepository } from './archives.ts'
import { check } from './check.ts'
import { setClock } from './clocks.ts'
import { copyMeanwhile, flipJournal } from './copy-meanwhile.ts'
import { deleteAccount } from './deletion.ts'
import { useFactor } from './factors.ts'
import { failDisk, failLink, heal, kill, sleep, start, startSecond, stop, wait } from './faults.ts'
import { changeHandle } from './handles.ts'
import { interruptStart, interruptStop } from './interruptions.ts'
import { useLeftAccount } from './left-accounts.ts'
import { writeLimited } from './limited-passwords.ts'
import { failLinks, reportLinks } from './links.ts'
import { listen } from './listen.ts'
import { muteList, writeList } from './lists.ts'
import { fillDisk, loseFrames } from './lost-data.ts'
import { enterCode, requestCode } from './mail.ts'
import { sharePicture, uploadAgain, uploadBlob } from './media.ts'
import { writeDuringStep, writeWhileMoving } from './move-meanwhile.ts'
import { abandonMove, continueMove, moveAccount } from './moves.ts'
import { changePassword, createAppPassword, revokeAppPassword, trespass } from './passwords.ts'
import { damageSegment, disconnectPlace, misreadMedia } from './place-damage.ts'
import {
  addPlace,
  damageJournal,
  damagePlace,
  failPlace,
  provePlace,
  removePlace,
  tryPlace,
} from './places.ts'
import { callService, failService, misdirectCall, muteByService } from './proxy.ts'
import { failPush, registerPush, unregisterPush } from './push.ts'
import { readMeanwhile } from './read-meanwhile.ts'
import { applyWrites, createRecord, deleteRecord, putRecord, repeatWrite } from './records.ts'
import { backUp, changeDailyBackups, replaceComputer, restoreBackup, undoRestore } from './restores.ts'
import { failMail, failRelay, useAppView, useLinks, useMail, useRelay } from './services.ts'
import { refreshSession, signIn, signOut } from './sessions.ts'
import { mute, setNotifications, setPreferences, subscribe, updateSeen, updateSeenAhead } from './settings.ts'
import { writeRecoverySheet } from './sheets.ts'
import { activate, deactivate, moderate } from './status.ts'
import { updateProgram } from './updates.ts'
import { waitWeeks } from './weeks.ts'

export const acts: Readonly<Record<string, Act>> = {
  ...{ createAccount, createRecord, deleteRecord },
  ...{ putRecord, applyWrites, repeatWrite, readMeanwhile },
  ...{ mute, subscribe, setNotifications, setPreferences, updateSeen, updateSeenAhead },
  ...{ writeList, muteList },
  ...{ uploadBlob, uploadAgain, sharePicture, exportRepository, importRepository },
  ...{ signIn, refreshSession, signOut, listen },
  ...{ createAppPassword, revokeAppPassword, changePassword, trespass, writeLimited, useFactor },
  ...{ allowApp, exchangeCode, refreshGrant, revokeGrant, writeAsApp, trespassAsApp },
  ...{ requestCode, enterCode },
  ...{ deactivate, activate, moderate, deleteAccount, changeHandle },
  ...{ moveAccount, continueMove, abandonMove, writeWhileMoving, writeDuringStep, useLeftAccount },
  ...{ kill, stop, failDisk, start, startSecond, failLink, heal, wait, waitWeeks, sleep, setClock },
  ...{ addPlace, removePlace, failPlace, damagePlace, damageJournal, provePlace, tryPlace },
  ...{ damageSegment, disconnectPlace, misreadMedia, fillDisk, loseFrames, copyMeanwhile, flipJournal },
  ...{ writeRecoverySheet },
  ...{ backUp, changeDailyBackups, restoreBackup, undoRestore, replaceComputer },
  ...{ interruptStop, interruptStart, updateProgram },
  ...{ useRelay, failRelay, useAppView, callService, misdirectCall, muteByService, failService },
  ...{ registerPush, unregisterPush, failPush, useLinks, reportLinks, failLinks, useMail, failMail },
  ...{ check },
}
