/** The page's calls on continuous copies that need dialogs, or work without a session. Methods of the server have the others. */

import { readFile, stat } from 'node:fs/promises'
import { type FileFilter, powerMonitor } from 'electron'
import { ReplicaKey } from '../../server/operation/replicas/replica-key.ts'
import { nodeFiles, replaceFile } from '../../server/store/files/files.ts'
import type { Logger } from '../../server/util/log.ts'
import { args, text } from '../ground/arguments.ts'
import { type CallsOf, call, outcome } from '../ground/calls.ts'
import { t } from '../ground/strings.ts'
import type { EmbeddedServer } from '../server/server.ts'
import type { Secrets } from '../settings/secrets.ts'
import { chooseDestination, chooseFile, chooseFolder } from '../system/dialogs.ts'
import type { MainWindow } from '../window/window.ts'

export interface CopiesDeps {
  readonly secrets: Secrets
  readonly server: EmbeddedServer
  readonly window: MainWindow
  readonly log: Logger
}

const keyFiles: FileFilter = { name: t.copies.keyFiles, extensions: ['txt', 'key'] }
const maxKeyFileBytes = 100_000

export function setupCopies(deps: CopiesDeps): CallsOf<'copies'> {
  const { server, window, log } = deps
  followSystem(deps)
  return {
    'copies.chooseFolder': call(args(), () => chooseFolder(window.browserWindow, t.copies.chooseFolder)),
    'copies.isElsewhere': call(args(), () => server.services?.operation.copies.isElsewhere() ?? false),
    'copies.continue': outcome(args(), async () => {
      await server.services?.operation.copies.continueHere()
      log.warn('this computer continues the server')
    }),
    'copies.saveSheet': outcome(args(text(maxKeyFileBytes)), async (sheet) => {
      const name = 'recovery-sheet.txt'
      const path = await chooseDestination(window.browserWindow, t.copies.saveSheet, name, keyFiles)
      if (path !== undefined) await replaceFile(nodeFiles, path, Buffer.from(sheet))
      return path
    }),
    'copies.chooseKey': outcome(args(), async () => {
      const path = await chooseFile(window.browserWindow, t.copies.chooseKey, keyFiles)
      if (path === undefined) return undefined
      if ((await stat(path)).size > maxKeyFileBytes) throw new Error(t.copies.noKeyFile)
      return (await ReplicaKey.parse(await readFile(path, 'utf8'))).identity
    }),
  }
}

/** Copies before the computer sleeps. Restarts the server when its key can be read at last. */
function followSystem({ secrets, server }: CopiesDeps): void {
  const copies = () => server.services?.operation.copies
  const sleepMs = 5000
  powerMonitor.on('suspend', () => void copies()?.flush(sleepMs))
  let wasLoaded = secrets.isLoaded('copies')
  secrets.onLateLoad(() => {
    const isFirst = !wasLoaded && secrets.isLoaded('copies')
    wasLoaded ||= isFirst
    if (isFirst) void server.restart()
  })
}
