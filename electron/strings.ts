/** Every word that the desktop itself says: tray, menu, dialogs, native notifications. */
import type { Reason } from '../server/notifications/reasons.ts'
import type { ServerState } from './bridge.ts'

export const productName = 'Desktop PDS'

export const t = {
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
    window: 'Window',
    help: 'Help',
    openInBrowser: 'Open in browser',
    dataFolder: 'Open data folder',
    logFolder: 'Open log folder',
    about: `About ${productName}`,
  },
  screens: {
    '/': 'Home',
    '/notifications': 'Notifications',
    '/outbox': 'Outbox',
    '/backups': 'Backups',
    '/logs': 'Logs',
  },
  stillRunning: {
    title: `${productName} is still running`,
    body: 'The server goes on for your clients. Open or quit it from the tray.',
  },
  closing: {
    message: `Stop the server and quit ${productName}?`,
    detail: 'There is no tray on this desktop to keep it in. Minimized, the server goes on for your clients.',
    quit: 'Quit',
    minimize: 'Minimize',
    cancel: 'Cancel',
  },
  unsaved: {
    message: 'Quit without saving?',
    detail: 'What you have changed in the settings is not saved yet.',
    quit: 'Quit',
    stay: 'Stay here',
  },
  backedUp: (file: string) => ({ title: 'Backup made', body: file }),
  notBackedUp: (message: string) => ({ title: 'No backup was made', body: message }),
  update: (version: string) => ({
    title: `Version ${version} is available`,
    body: 'Click to see what is new.',
  }),
  failed: `${productName} has to close`,
  loadFailed: {
    message: 'The window could not be loaded',
    detail: 'The server is not affected and continues to run for your clients.',
    reload: 'Reload',
    close: 'Close',
  },
  dialogs: {
    saveBackup: 'Save a backup with accounts and keys',
    saveRepository: 'Save the repository',
    chooseBackup: 'Choose a backup',
    backupFiles: 'Backups',
    repositoryFiles: 'Repositories',
  },
} as const

/** One line for the tray. */
export function describeState(state: ServerState): string {
  switch (state.kind) {
    case 'running':
      return `Running at ${state.endpoint}`
    case 'failed':
      return `Not running: ${state.message}`
    case 'starting':
      return 'Starting…'
    case 'stopping':
      return 'Stopping…'
    case 'stopped':
      return 'Stopped'
  }
}

/** What somebody has done, after their name. */
const deeds: Readonly<Record<Reason, string>> = {
  like: 'liked your post',
  repost: 'reposted your post',
  follow: 'follows you',
  mention: 'mentioned you',
  reply: 'replied to you',
  quote: 'quoted your post',
  'starterpack-joined': 'joined with your starter pack',
  verified: 'verified you',
  unverified: 'no longer verifies you',
  'like-via-repost': 'liked your repost',
  'repost-via-repost': 'reposted your repost',
  'subscribed-post': 'posted',
  'contact-match': 'is one of your contacts',
}

/** The title of a native notification. */
export function deedOf(name: string, reason: Reason): string {
  return `${name} ${deeds[reason]}`
}

/** When so many arrive at once that one notification has to stand for all. */
export function manyArrived(count: number): string {
  return `${count} new notifications`
}
