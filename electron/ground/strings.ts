/** Every text of the desktop outside the page: tray, menu, dialogs, native notifications. */
import type { Reason } from '../../server/app/tables/reasons.ts'
import type { ServerState } from './bridge.ts'

export const productName = 'Desktop PDS'

export const t = {
  factors: {
    stopped: 'The server is stopped. Start it first.',
    unknown: 'No account has this handle or address.',
  },
  tray: {
    open: `Open ${productName}`,
    copyEndpoint: 'Copy address',
    start: 'Start server',
    stop: 'Stop server',
    startAtLogin: 'Start at login',
    quit: 'Quit',
  },
  menu: {
    file: 'File',
    open: `Open ${productName}`,
    copyEndpoint: 'Copy address',
    backUp: 'Back up now',
    settings: 'Server settings',
    edit: 'Edit',
    view: 'View',
    go: 'Go',
    help: 'Help',
    openInBrowser: 'Open in browser',
    dataFolder: 'Open data folder',
    logFolder: 'Open log folder',
    about: `About ${productName}`,
  },
  screens: {
    '/': 'Home',
    '/notifications': 'Inbox',
    '/outbox': 'Outbox',
    '/backups': 'Backups',
    '/logs': 'Logs',
  },
  stillRunning: {
    title: `${productName} is still running`,
    body: 'Your server stays available. Open or quit the app from the tray.',
  },
  closing: {
    message: `Stop the server and quit ${productName}?`,
    detail: 'This desktop has no tray. Minimize the window to keep the server running.',
    quit: 'Quit',
    minimize: 'Minimize',
    cancel: 'Cancel',
  },
  unsaved: {
    message: 'Discard changes?',
    detail: 'Your changes to the settings are not saved.',
    quit: 'Discard and quit',
    stay: 'Keep editing',
  },
  backedUp: (at: string) => ({ title: 'Backup created', body: new Date(at).toLocaleString() }),
  notRestorable: (problem: string) => `Not restorable: ${problem}`,
  restore: {
    noFile: 'Choose a file first.',
    noFolder: (name: string) => `The folder ${name} no longer exists.`,
    cancelled: 'This was cancelled.',
  },
  examined: 'The damaged data are being examined. The server was not started. Try again in a moment.',
  stillRuns: 'The server is running. Stop it first. Nothing was changed.',
  nothingToOpen: 'There is nothing to open.',
  dataChanged: 'The data changed meanwhile. Nothing was opened. Look at it again.',
  notBackedUp: (message: string) => ({ title: 'Backup failed', body: message }),
  update: (version: string) => ({
    title: `Version ${version} is available`,
    body: 'Click to open the release page.',
  }),
  copies: {
    chooseFolder: 'Choose a folder for the copy',
    saveSheet: 'Save recovery sheet',
    chooseKey: 'Choose the file of the recovery sheet',
    keyFiles: 'Recovery sheets',
    noKeyFile: 'This file is no recovery sheet.',
    keyringLocked:
      'The keyring of this computer has not released the key of the copies yet. Unlock the keyring: the copies start then.',
    notSaved:
      'The key and the passwords of the copies could not be saved on this computer: without them no copy could be restored. Unlock the keyring and make sure that the disk has free space. Then add the place again, or restart the app.',
    notices: {
      elsewhere: {
        title: 'Another computer continues your server',
        body: 'This one accepts no changes, and may have some that were not copied. Click to choose.',
      },
      late: {
        title: 'Nothing was copied for a day',
        body: 'A place of your copies cannot be used. Click to see why.',
      },
    },
  },
  failed: `${productName} has to close`,
  loadFailed: {
    message: 'The window could not be loaded',
    detail: 'The server is still running. Try to load the window again.',
    reload: 'Reload',
    close: 'Close',
  },
  dialogs: {
    saveBackup: 'Save backup with accounts and keys',
    saveRepository: 'Save repository',
    chooseBackup: 'Choose backup',
    backupFiles: 'Backups',
    repositoryFiles: 'Repositories',
  },
} as const

/** One line for the tray. */
export function describeState(state: ServerState): string {
  if (state.kind === 'running') return `Running at ${state.endpoint}`
  if (state.kind === 'failed') return `Not running: ${state.message}`
  return { starting: 'Starting…', stopping: 'Stopping…', stopped: 'Stopped' }[state.kind]
}

/** The rest of a notification's title, after the name of its author. */
const predicates: Readonly<Record<Reason, string>> = {
  like: 'liked your post',
  repost: 'reposted your post',
  follow: 'followed you',
  mention: 'mentioned you',
  reply: 'replied to you',
  quote: 'quoted your post',
  'starterpack-joined': 'joined through your starter pack',
  verified: 'verified you',
  unverified: 'removed your verification',
  'like-via-repost': 'liked a post you reposted',
  'repost-via-repost': 'reposted a post you reposted',
  'subscribed-post': 'posted',
  'contact-match': 'is one of your contacts and joined the network',
}

/** The title of a native notification. */
export function titleFor(name: string, reason: Reason): string {
  return `${name} ${predicates[reason]}`
}

/** The title of one notification that stands for a batch. */
export function manyArrived(count: number): string {
  return `${count} new notifications`
}
