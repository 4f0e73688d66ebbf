/**
 * Actions that the menus and the page share: copy the address, open a folder or a web page. Targets come from fixed lists, except
 * for the answers to apps.
 */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { clipboard, shell } from 'electron'
import type { Logger } from '../../server/util/log.ts'
import { args, oneOf } from '../ground/arguments.ts'
import { type CallsOf, call, outcome } from '../ground/calls.ts'
import type { Folders } from '../ground/folders.ts'
import { sourcePage } from '../ground/project.ts'
import type { Updates } from '../system/updates.ts'
import type { Quitting } from './quit.ts'
import type { EmbeddedServer } from './server.ts'

export interface Actions {
  readonly calls: CallsOf<'app'>
  copyEndpoint(): void
  openFolder(which: (typeof folderNames)[number]): void
  openPage(which: (typeof pageNames)[number]): void
}

const folderNames = ['data', 'backups', 'logs'] as const
const pageNames = ['endpoint', 'notices', 'update', 'source', 'officialClient'] as const

export interface ActionsDeps {
  readonly folders: Folders
  readonly server: EmbeddedServer
  readonly updates: Updates
  readonly quitting: Quitting
  readonly log: Logger
}

export function setupActions({ folders, server, updates, quitting, log }: ActionsDeps): Actions {
  const logFailure = (message: string) => (error: unknown) => log.warn({ err: error }, message)
  const actions: Omit<Actions, 'calls'> = {
    copyEndpoint: () => void clipboard.writeText(server.endpoint).catch(logFailure('clipboard write failed')),
    openFolder(which) {
      const folder = { data: folders.data, backups: join(folders.data, 'backups'), logs: folders.logs }[which]
      void openFolder(folder).catch(logFailure('folder could not be opened'))
    },
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
  return {
    ...actions,
    calls: {
      'app.openFolder': call(args(oneOf(...folderNames)), actions.openFolder),
      'app.openPage': call(args(oneOf(...pageNames)), actions.openPage),
      'app.openAnswer': outcome(args(isAnswer), (location) =>
        shell.openExternal(location).catch(() => {
          // The error of the system may contain the URL, which has the code.
          throw new Error('Your browser could not be opened. Start again in the app.')
        }),
      ),
      'app.quit': call(args(), quitting.quit),
    },
  }
}

const maxAnswerLength = 16_384

/**
 * Checks the URL that takes the answer of a sign-in to an app. The page passes it on from the server. Accepts web pages, and the schemes
 * that apps have of their own: the reverse of a domain name, so with a dot (RFC 8252 §7.1). Schemes of the system, such as `file:` and
 * `smb:`, have none.
 */
function isAnswer(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > maxAnswerLength) return false
  const protocol = URL.parse(value)?.protocol ?? ''
  if (!/^(?:https?|[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+):$/.test(protocol)) return false
  return /[?#&]iss=/.test(value)
}

async function openFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const problem = await shell.openPath(folder)
  if (problem !== '') throw new Error(problem)
}
