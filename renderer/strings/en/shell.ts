/** Texts around the screens, and texts that several screens share. */
import { count, formatDate, formatDateTime, formatNumber } from '../format.ts'

export const app = {
  name: 'Desktop PDS',
  title: (page: string) => `${page} · Desktop PDS`,
  skip: 'Skip to content',
  crashed: 'Something went wrong on this page. Reload it to continue.',
  reload: 'Reload',
}

export const ui = {
  cancel: 'Cancel',
  close: 'Close',
  copied: 'Copied',
  copy: 'Copy',
  code: 'Code',
  codeShape: 'XXXXX-XXXXX',
  fillIn: 'Fill in this field.',
  atLeast: (characters: number) => `Use at least ${characters} characters.`,
  emailForm: 'Enter an email address, such as alice@example.com.',
  urlForm: 'Enter an address, such as https://example.com.',
  continue: 'Continue',
  dismiss: 'Dismiss',
  loading: 'Loading',
  more: 'Show more',
  newPassword: 'New password',
  optional: 'optional',
  retry: 'Try again',
  save: 'Save',
  saved: 'I saved it',
  showPassword: 'Show password',
  wholeEmail: 'An address such as name@example.com',
  shownOnce: 'You can see this only once. Copy it now and keep it in a safe place.',
  undo: 'Undo',
  view: 'View',
  email: 'Email',
  handle: 'Handle',
  password: 'Password',
  did: 'DID',
  remove: 'Remove',
  openFolder: 'Open folder',
  copyAddress: 'Copy address',
  copyCommand: 'Copy command',
  copyPath: 'Copy path',
  copyDid: 'Copy DID',
  checkAgain: 'Check again',
  created: 'Created',
  name: 'Name',
  back: 'Back',
  toHome: 'Go to Home',
  lastUsed: 'last used',
  inviteCode: 'Invite code',
  print: 'Print',
  sendCode: 'Send code',
  setPassword: 'Set password',
  create: 'Create',
  day: 'Day',
  showTable: 'Show as table',
  dataFolder: 'Data folder',
  checked: 'Checked',
  choose: 'Choose…',
  subscribe: 'Subscribe',
  follow: 'Follow',
  search: 'Search',
  send: 'Send',
  turnOn: 'Turn on',
  domain: 'Domain',
  filterList: (list: string) => `Filter ${list}`,
  shownOf: (shown: number, all: number) => `${formatNumber(shown)} of ${formatNumber(all)}`,
  noneShown: 'Nothing in this list matches the filter.',
  removeNamed: (name: string) => `Remove ${name}`,
}

export const connection = {
  up: 'Running',
  down: 'Not responding',
  lost: 'The server is not responding.',
  retrying: 'Trying to reconnect. What you see may be out of date.',
  now: 'Try now',
  back: 'Connected to the server again',
  stopping: 'The server is stopping.',
  restarting: 'The server is restarting. Clients reconnect automatically.',
  stopped: 'The server is stopped.',
  stoppedDetail: 'Clients cannot connect, and what you see may be out of date.',
}

export const nav = {
  label: 'Main',
  open: 'Open menu',
  you: 'You',
  home: 'Home',
  search: 'Search',
  inbox: 'Inbox',
  subscriptions: 'Subscriptions',
  account: 'Account',
  apps: 'Apps and sessions',
  data: 'Data',
  thisServer: 'This server',
  people: 'People and invites',
  accounts: 'People',
  invites: 'Invites',
  reports: 'Reports',
  network: 'Network',
  backups: 'Backups',
  server: 'Server',
  outbox: 'Outbox',
  settings: 'Settings',
  general: 'General',
  notifications: 'Notifications',
  logs: 'Logs',
  requests: 'Requests',
  conformance: 'Protocol check',
  about: 'About',
  unread: (unread: number) => `${formatNumber(unread)} unread`,
  many: '99+',
  messages: (messages: number) => `${count(messages, { one: 'message', other: 'messages' })}`,
  switcher: 'Account menu,',
  add: 'Add an account',
  shortcuts: 'Keyboard shortcuts',
  signOut: 'Sign out',
  signedOut: (handle: string) => `Signed out of ${handle}`,
}

export const settings = {
  lead: 'How this app looks and behaves.',
  theme: 'Appearance',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  app: 'App',
  switches: {
    startAtLogin: 'Start when I sign in to this computer',
    closeToTray: 'Keep running when the window is closed',
    nativeNotifications: 'Desktop notifications',
    automaticBackups: 'Automatic backups',
    checkForUpdates: 'Check for updates daily',
  },
  switchDetails: {
    startAtLogin: 'Starts the server without a window.',
    closeToTray: 'The server stays in the tray. Use Quit in the tray menu to stop it.',
    nativeNotifications: 'Shown for every kind of notification that is set to Push under Notifications.',
    automaticBackups:
      'Once a day. The newest 7 are kept, one per day of the last week and one per week of the last month. Fewer if the disk is nearly full.',
    checkForUpdates: 'Only checks the version. Nothing is downloaded or installed automatically.',
  },
}

export const leave = {
  title: 'Discard changes?',
  text: 'You have unsaved changes on this screen.',
  dialogText: 'What you typed is lost then.',
  leave: 'Discard changes',
  stay: 'Keep editing',
}

export const shortcuts = {
  enabled: 'Enable keyboard shortcuts',
  help: 'Show keyboard shortcuts',
  goTo: (page: string) => `Go to ${page}`,
  followedBy: 'then',
  esc: 'Close a dialog or menu',
  escKey: 'Esc',
  gKey: 'g',
  helpKey: '?',
  undo: 'Undo, while the message with Undo is shown',
  undoKey: 'u',
}

export const status = {
  active: 'Active',
  deactivated: 'Deactivated',
  suspended: 'Suspended',
  takendown: 'Taken down',
  inactive: 'Unavailable',
  owner: 'Owner',
}

export const banner = {
  deactivated: 'This account is deactivated. Other people cannot see it, and it cannot post.',
  deleteOn: (at: string, left: string) =>
    `This account will be permanently deleted on ${formatDate(at)}, ${left}.`,
  keep: 'Keep this account',
  kept: 'The account is kept. Its deletion is cancelled.',
  unactivated: 'This account was imported, but it is not active yet. Other people cannot see it here.',
  activateBy: (at: string, left: string) =>
    `It will be deleted on ${formatDate(at)}, ${left}, unless you activate it.`,
  keptNamed: 'It is kept, because its DID names this server. Activate it, or delete it under Account.',
  keptUnreadable: 'It is kept until its DID document can be read. Activate it, or delete it under Account.',
  activate: 'Activate',
  activated: 'Account activated',
  reactivate: 'Reactivate',
  reactivated: 'Account reactivated',
  suspended:
    'This account is suspended. You can sign in and change settings, but not post. Contact the owner of this server.',
  takendown: 'This account was taken down. You can move it to another server, deactivate it or delete it.',
}

export const clock = {
  wrong: (shown: string, trusted: string) =>
    `The clock of this server seems wrong: it shows ${formatDateTime(shown)}, and the last known time is ${formatDateTime(trusted)}.`,
  paused: 'Deletion by age is paused until the clock is right.',
  elsewhere: (at: string) => `By the clock of the directory it is ${formatDateTime(at)}.`,
  fix: 'Correct the date and time in the settings of the computer that runs the server.',
  isRight: 'The clock is right',
  confirmTitle: (shown: string) => `Is it ${formatDateTime(shown)}?`,
  confirmText:
    'The server will trust its clock again. It then ends expired sessions, and deletes old events and uploads and the accounts whose deletion is due.',
  confirm: 'Confirm',
  confirmed: 'Clock confirmed',
}

export const dataCheck = {
  title: 'Stored data',
  lead: 'The server verifies all its data within a week, a little every hour.',
  verified: 'All data verified',
  never: 'Not all data has been verified yet.',
  progress: (percent: number) => `${formatNumber(percent)} % verified, done`,
  damaged: (pages: number) =>
    `Damaged data found: ${count(pages, { one: 'page', other: 'pages' })} of the database. Requests that need it fail, others work.`,
  lastIntact: 'Last check without damage:',
  remedy: 'Restore the newest tested backup.',
  remedyElsewhere: 'Restore the newest tested backup on the computer that runs the server.',
  show: 'Details',
}

export const notFound = {
  title: 'Page not found',
  lead: 'This page does not exist or has moved.',
}

export const testNetwork = {
  label: 'Network for tests',
  text: 'Network for tests: everything here is public and will be forgotten.',
}
