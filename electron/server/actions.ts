/**
 * Actions that the menus and the page share: copy the address, open a folder or a web page. Targets come from fixed lists, except
 * for the answers to apps (`answer.ts`).
 */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { clipboard, shell } from 'electron'
import type { Logger } from '../../server/util/log.ts'
import type { Outcome } from '../ground/bridge.ts'
import type { Folders } from '../ground/folders.ts'
import { outcomeOf } from '../ground/outcome.ts'
import { sourcePage } from '../ground/project.ts'
import type { Updates } from '../system/updates.ts'
import type { EmbeddedServer } from './server.ts'

export interface Actions {
  copyEndpoint(): void
  openFolder(which: 'data' | 'backups' | 'logs'): void
  openAnswer(location: string): Promise<Outcome>
  openPage(which: 'endpoint' | 'notices' | 'update' | 'source' | 'officialClient'): void
}

export interface ActionsDeps {
  readonly folders: Folders
  readonly server: EmbeddedServer
  readonly updates: Updates
  readonly log: Logger
}

export function setupActions({ folders, server, updates, log }: ActionsDeps): Actions {
  const logFailure = (message: string) => (error: unknown) => log.warn({ err: error }, message)
  return {
    copyEndpoint: () => void clipboard.writeText(server.endpoint).catch(logFailure('clipboard write failed')),
    openFolder(which) {
      const folder = { data: folders.data, backups: join(folders.data, 'backups'), logs: folders.logs }[which]
      void openFolder(folder).catch(logFailure('folder could not be opened'))
    },
    openAnswer: (location) =>
      outcomeOf(log, 'app.openAnswer', async () => {
        await shell.openExternal(location).catch(() => {
          // The error of the system may contain the URL, which has the code.
          throw new Error('Your browser could not be opened. Start again in the app.')
        })
        return undefined
      }),
    openPage(which) {
      const page = {
        endpoint: server.endpoint,
        // A browser shows the file; no other program can read it inside the archive.
        notices: `${server.endpoint}/notices.txt`,
        update: updates.newer?.page,
        source: sourcePage,
        officialClient: 'https://bsky.app',
      }[which]
      if (page !== undefined) void shell.openExternal(page).catch(logFailure('browser could not be opened'))
    },
  }
}

async function openFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const problem = await shell.openPath(folder)
  if (problem !== '') throw new Error(problem)
}
