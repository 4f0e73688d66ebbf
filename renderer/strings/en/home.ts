/** Texts of Home: the state of the server, and the first steps. */
import { count, formatNumber } from '../format.ts'

export const home = {
  lead: 'Your server at a glance.',
  welcome: (name: string) => `Welcome, ${name}. Your account is ready.`,
  unread: (unread: number) => count(unread, { one: 'unread notification', other: 'unread notifications' }),
  state: 'State of the server',
  failed: 'Not available',

  network: 'Who can connect',
  ways: { thisComputer: 'This computer only', localNetwork: 'Local network', public: 'Everyone' },
  thisComputer: 'Nothing is reachable from outside.',
  offline: 'This computer is in no network.',
  server: 'Server',
  serverDetail: 'The address of this server.',

  copy: 'Copy elsewhere',
  noCopy: 'No copy outside this computer',
  makeCopy: 'Make a copy',
  firstCopy: 'The first copy is being made',
  copyFailing: 'Copies do not work',
  copied: 'Copied',
  copyCurrent: 'Up to date',
  copyElsewhere: 'Another computer continues',
  copyOfOwner: 'The owner of this server makes its copies.',
  ownCopy: 'Download your data',
  backup: 'Backup here:',
  noBackup: 'No backup here either.',

  clients: 'Clients',
  clientCount: (clients: number) => count(clients, { one: 'client', other: 'clients' }),
  noClient: 'No client yet',
  noClientNow: 'None signed in',
  clientDetail: 'Apps that you connect appear here.',

  people: 'People',
  accountCount: (accounts: number) => count(accounts, { one: 'account', other: 'accounts' }),
  followCount: (follows: number) =>
    follows === 0
      ? 'You follow no one yet'
      : `You follow ${count(follows, { one: 'person', other: 'people' })}`,
  followerCount: (followers: number) => count(followers, { one: 'follower', other: 'followers' }),
}

export const firstSteps = {
  title: 'First steps',
  done: (done: number, total: number) => `${formatNumber(done)} of ${formatNumber(total)} done`,
  isDone: 'Done:',
  isOpen: 'To do:',
  dismiss: 'Hide',
  dismissed: 'Hidden. The list comes back when something needs you.',
  aged: 'Needs you again',
  names: {
    profile: 'Name and picture',
    client: 'A client',
    copy: 'A copy outside this computer',
    recovery: 'A recovery key',
  },
  details: {
    profile: 'So that people recognise you.',
    client: 'An app on your phone or computer that reads and writes here.',
    copy: 'If this computer breaks or is stolen, its copy brings everything back.',
    recovery: 'Once your identity is published, it moves the account elsewhere if this server is lost.',
  },
  actions: {
    profile: 'Edit profile',
    client: 'Connect a client',
    copy: 'Add a copy',
    recovery: 'Make a key',
  },
  later: 'When you like:',
  email: 'add an email address',
  birthDate: 'add a birth date',
}

/** The notifications of the last days, as a chart. */
export const activity = {
  title: 'Last 14 days',
  lead: 'Notifications by day and kind.',
  none: 'No notifications in the last 14 days.',
  chart: (total: number) => count(total, { one: 'notification', other: 'notifications' }),
  total: 'Total',
}

export const storage = {
  title: 'Storage',
  lead: 'Space that your account uses.',
  total: (size: string) => `${size} in total`,
  kinds: { records: 'Records', media: 'Media', database: 'Database', backups: 'Backups', free: 'Free' },
  serverTitle: 'Storage of this server',
  serverLead: 'Space that all accounts and the backups use on this computer.',
  serverTotal: (size: string, free: string) => `${size} used, ${free} free on this disk`,
  lastDays: 'The last 90 days',
  plot: (first: string, last: string) => `Used space on the last 90 days, from ${first} to ${last}`,
  since: 'It is measured once a day. A line is drawn here from the second day on.',
}

export const identifiers = {
  title: 'Identifiers for tools',
  did: 'Your DID',
  serverDid: 'Server DID',
  didHint: 'A DID is the permanent identifier of an account. It stays the same when the handle changes.',
  copyServerDid: 'Copy server DID',
}
