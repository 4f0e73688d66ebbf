/** Texts of what can use an account: app passwords, apps and sessions. */
import { count, formatList, formatNumber } from '../format.ts'

export const appPasswords = {
  title: 'App passwords',
  lead: 'One password for each app, so that none needs your main password. App passwords cannot manage the account.',
  create: 'New app password',
  none: 'No app passwords yet',
  noneText: 'Create one for each client. You can revoke it without affecting the others.',
  never: 'never used',
  privileged: 'Privileged',
  nameHint: 'The app or device that will use it.',
  suggestions: ['Phone', 'Laptop', 'Tablet', 'Desktop client', 'Work', 'Script'],
  limit: 'May',
  limits: {
    none: 'Everything but managing the account',
    readOnly: 'Read only',
    postsOnly: 'Read, and write posts',
    noDeletion: 'Read and add, but not delete, overwrite or manage',
  },
  words: {
    none: 'read and write everything but chats, and not manage the account',
    readOnly: 'read, and write nothing',
    postsOnly: 'read, and write posts with their media',
    noDeletion: 'read and add everything, but not delete or overwrite',
  },
  privilegedWords: 'read and write everything, also chats, and move the account',
  privilegedHint: 'Also allows chat and moving the account. Only for apps you fully trust.',
  createdTitle: (name: string) => `App password for ${name}`,
  value: 'App password',
  revoke: 'Revoke',
  revokeLabel: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeText: 'Apps that use it are signed out immediately. You cannot undo this.',
  revoked: (name: string) => `${name} revoked`,
  used: (used: number, all: number) =>
    `You have ${used} of ${all}.${used >= all ? ' Revoke one that you no longer need.' : ''}`,
  unused: {
    button: 'Revoke unused…',
    title: (passwords: number) =>
      `Revoke ${count(passwords, { one: 'app password', other: 'app passwords' })}?`,
    text: 'They were not used for 90 days. You cannot undo this.',
    list: 'App passwords to revoke',
    action: 'Revoke',
    done: (passwords: number) =>
      `${count(passwords, { one: 'app password', other: 'app passwords' })} revoked`,
  },
}

/** One screen for everything that can use the account. */
export const apps = {
  lead: 'Everything that can use your account: what it may do, what it did, and how to end it.',
  allowed: 'Allowed apps',
  allowedLead: 'Apps that you allowed to use the account without giving them a password.',
  noneAllowed: 'No app has asked yet. Apps that open a sign-in page appear here.',
  may: (words: string) => `It can ${words}.`,
  uses: {
    kinds: { reads: 'Reads', writes: 'Changes', refusals: 'Refused' },
    counts: {
      reads: (reads: number) => count(reads, { one: 'read', other: 'reads' }),
      writes: (writes: number) => count(writes, { one: 'change', other: 'changes' }),
      refusals: (refusals: number) => `${formatNumber(refusals)} refused`,
    },
    total: (counts: readonly string[]) => `${formatList(counts)} in 90 days`,
    most: (most: number, day: string) => `at most ${formatNumber(most)}, on ${day}`,
    plot: (kind: string, most: number, day: string) =>
      `${kind} on each of the last 90 days: at most ${formatNumber(most)}, on ${day}`,
  },
  unused: {
    button: 'End unused…',
    title: (sessions: number) => `End ${count(sessions, { one: 'app', other: 'apps' })}?`,
    text: 'They did not use the account for 90 days. They can ask again.',
    list: 'Apps to end',
    action: 'End',
    done: (sessions: number) => `${count(sessions, { one: 'app', other: 'apps' })} ended`,
  },
}

export const sessions = {
  title: 'Sessions',
  lead: 'Where your account is signed in with a password. Ending a session signs it out immediately.',
  current: 'This session',
  opened: 'Opened',
  oldToken: 'Old token used',
  oldTokenUsed: 'An old token of this session was used',
  oldTokenCauses: 'The cause is a tab that was open for a long time, or a copied token.',
  oldTokenEnd: 'If in doubt, end the session.',
  oldTokenSignOut: 'If in doubt, sign out and sign in again.',
  withPassword: 'with the main password',
  withAppPassword: (name: string) => `with the app password ${name}`,
  byApp: 'by an app',
  unknownClient: 'Unknown client',
  on: (client: string, system: string) => `${client} on ${system}`,
  end: 'End',
  endLabel: (client: string) => `End session of ${client}`,
  endTitle: 'End this session?',
  endText: (client: string) => `${client} will be signed out immediately.`,
  ended: 'Session ended',
  endOthers: 'End all others',
  endOthersTitle: 'End all other sessions?',
  endOthersText: (sessions: number) =>
    `${count(sessions, { one: 'other session', other: 'other sessions' })} will be signed out immediately. App passwords stay valid, so apps can sign in again.`,
  endedOthers: (sessions: number) => `${count(sessions, { one: 'session', other: 'sessions' })} ended`,
}
