/**
 * Actions that the menus and the page share: copy the address, open a folder or a web page. Targets come from fixed lists, except
 * for the answers to apps (`answer.ts`).
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { clipboard, shell } from 'electron'
import type { Outcome } from './bridge.ts'
import { outcomeOf } from './outcome.ts'
import type { Parts } from './parts.ts'
import { sourcePage } from './project.ts'

export interface Actions {
  copyEndpoint(): void
  openFolder(which: 'data' | 'backups' | 'logs'): void
  openAnswer(location: string): Promise<Outcome>
  openPage(which: 'endpoint' | 'notices' | 'update' | 'source' | 'officialClient'): void
}

export type ActionsDeps = Pick<Parts, 'folders' | 'server' | 'updates' | 'log'>

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
