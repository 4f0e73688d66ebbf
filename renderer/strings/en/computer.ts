/** Texts of Outbox, Backups, Logs and About, and of the screens shown while the server is not running. */
import { count, formatNumber } from '../format.ts'

export const outbox = {
  lead: 'Messages that could not be emailed, such as sign-in codes and confirmations.',
  list: 'Messages',
  test: 'Send a test message',
  testLead: 'Sends a message with a sample code.',
  testTo: 'To',
  testKept: 'No mail server is set up. The test message is in the outbox',
  testSent: (to: string) => `Test message sent to ${to}`,
  none: 'The outbox is empty',
  noneText:
    'Without a mail server, messages are kept here with their codes ready to copy. Only users of this computer can see them.',
  noneTextServer:
    'Without a mail server, messages are kept here with their codes ready to copy. Codes for your own account are left out, except that to confirm your address: they are in the folder “outbox” of the server’s data.',
  settings: 'Set up a mail server',
  to: 'To',
  copyCode: (code: string) => `Copy code ${code}`,
  text: 'Show message',
  failed: 'The mail server did not accept this message.',
  remove: 'Delete',
  removeLabel: (subject: string, to: string) => `Delete ${subject} to ${to}`,
  removed: 'Message deleted',
  banner: (messages: number) =>
    messages === 1
      ? 'A message could not be emailed.'
      : `${formatNumber(messages)} messages could not be emailed.`,
}

export const backups = {
  lead: 'Copies of all accounts, records and settings of this server.',
  create: 'Back up now',
  creating: 'Creating a backup…',
  created: (size: string) => `Backup created, ${size}`,
  delete: 'Delete',
  deleteLabel: (when: string) => `Delete backup of ${when}`,
  deleteTitle: 'Delete this backup?',
  deleteText: 'You can undo this for a few minutes. After that, nothing brings this backup back.',
  deleted: 'Backup deleted',
  folder: 'Folder',
  replaced: 'Replaced data',
  replacedLead:
    'Data from before a restore or an import, with the keys and media of all accounts at that time. Each is deleted after 30 days.',
  replacedDetail: (size: string, date: string) => `${size} · Deleted on ${date}`,
  replacedActions: { putBack: 'Put back…', forget: 'Delete…' },
  replacedLabels: {
    putBack: (when: string) => `Put back the data replaced on ${when}`,
    forget: (when: string) => `Delete data replaced on ${when}`,
  },
  replacedTitles: { putBack: 'Put this data back?', forget: 'Delete this data?' },
  replacedTexts: {
    putBack: (when: string) =>
      `The server restarts with the data that was replaced on ${when}. The present data is kept in a separate folder for 30 days. You may need to sign in again.`,
    forget: (when: string, size: string) =>
      `The data that was replaced on ${when} (${size}) is deleted from this computer and cannot be restored. Backups are not affected.`,
  },
  replacedSubmits: { putBack: 'Put back', forget: 'Delete' },
  replacedDone: { putBack: 'The data was put back', forget: 'Replaced data deleted' },
  oneFile: 'Export and import',
  oneFileLead: 'Everything in one file, to move to another computer or to keep elsewhere.',
  save: 'Export…',
  saveDetail: 'All accounts, records, settings and signing keys.',
  load: 'Import…',
  importTitle: 'Import everything from a file',
  loadDetail: 'Replaces all data of this server with the contents of a file.',
  exportTitle: 'Export everything to a file',
  exportWarning:
    'The file contains the keys of all accounts. Anyone who opens it can act as any of them. Keep it in a safe place.',
  passphrase: 'Passphrase',
  passphraseHint:
    'Encrypts the file in the age format: the age tool can open it too. If you lose the passphrase, the file cannot be opened.',
  passphraseAgain: 'Repeat passphrase',
  passphraseDiffers: 'The passphrases do not match.',
  noPassphrase: 'Export without encryption',
  noPassphraseHint: 'Anyone who gets the file can open it.',
  exportSubmit: 'Choose location…',
  exported: (path: string) => `Saved to ${path}`,
  repository: 'Repository of one account',
  repositoryLead:
    'The public, signed records of an account as a CAR file, which other servers and tools can read. Contains no keys or private data.',
  repositoryAccount: 'Account',
  repositoryExport: 'Export repository…',
}

export const logs = {
  lead: 'Live log of the server, without passwords and tokens.',
  leadServer:
    'The last lines since the server was started, without passwords and tokens. All lines go to the terminal or the service that runs it.',
  label: 'Log',
  level: 'Show',
  levels: {
    trace: 'All',
    debug: 'Debug and above',
    info: 'Info and above',
    warn: 'Warnings and errors',
    error: 'Errors',
  },
  filterPlaceholder: 'Text in a line',
  copy: 'Copy shown lines',
  newest: 'Jump to newest',
  paused: 'Paused while you scroll.',
  none: 'No log lines yet.',
  noMatch: 'No matching lines.',
}

export const about = {
  lead: 'Your identity and your data, on your own computer.',
  version: 'Version',
  parts: 'Built with',
  electron: 'Electron',
  chrome: 'Chromium',
  node: 'Node.js',
  licence: 'License',
  licenceDetail: 'MIT. Other software in this program has its own licenses.',
  openNotices: 'Open third-party licenses',
  source: 'Source code and help',
  sourceDetail: 'Documentation, source code and issue tracker.',
  open: 'Open',
  openSource: 'Open source code and help',
  openData: 'Open data folder',
  updates: 'Updates',
  check: 'Check for updates',
  notChecked: 'Not checked yet',
  checking: 'Checking…',
  current: 'You have the latest version',
  available: (version: string) => `Version ${version} is available`,
  availableDetail: 'Download it from its page.',
  openUpdate: 'Open download page',
  unknown: 'Could not check for updates',
}

export const halted = {
  starting: 'Starting the server',
  stopping: 'Stopping the server',
  stopped: 'The server is stopped',
  stoppedText: 'Your data is safe. Start the server to let clients connect again.',
  titles: {
    'port-taken': (port: number) => `Port ${port} is in use`,
    'not-writable': 'The data folder is not writable',
    damaged: 'A data file is damaged',
    'too-new': 'The data was written by a newer version of this app',
    'too-old': 'The data was written before the first release of this app',
    'already-running': 'The server is already running',
    other: 'The server could not start',
  },
  nextSteps: {
    'port-taken':
      'Close the program that uses this port, then try again. Or use another port: the address changes, so update it in your clients.',
    'not-writable':
      'Check the permissions of the folder and the free disk space, then try again. No data was changed.',
    damaged:
      'The damaged file was set aside, not deleted. Open what is intact, restore a backup, or repair the file and try again.',
    'too-new': 'Install the latest version of this app. An older version would lose data.',
    'too-old':
      'Start the version of this app that wrote the data. Accounts can move from there to a server with this version.',
    'already-running':
      'Another program is using this data folder: a second copy of this app, or the server without the desktop. Close it, then try again.',
    other: 'Fix the problem above, then try again. See the log for details.',
  },
  anotherPort: (port: number) => `Use port ${port}`,
  newAddress: 'New address',
  path: 'Location',
  quit: 'Quit',
  backups: 'Restore a backup',
}

/** Opening the intact part of damaged data. */
export const salvage = {
  open: 'Open what is intact…',
  title: 'Open what is intact?',
  submit: 'Open',
  changedTitle: 'Use the changed database?',
  useChanged: 'Use the changed database',
  from: {
    database:
      'The database is complete: damaged parts are taken from backups or places. Of the changes that were made since, all up to the damage are kept.',
    changed:
      'Another program changed the database while the server was stopped. No error was found. The changes are unknown.',
    backup:
      'No backup or place has the damaged parts of the database. The newest intact backup is used, with the later changes that are intact and follow it. BACKUPS.md describes how to recover newer data with SQLite instead.',
  },
  unread: 'Some places could not be read. They may have the damaged parts.',
  damaged: 'Damaged or missing',
  lost: 'Lost',
  changes: (lost: number, isExact: boolean) => {
    if (lost === 0) return isExact ? 'Nothing' : 'Unknown'
    const changes = count(lost, { one: 'change', other: 'changes' })
    return isExact ? changes : `At least ${changes}`
  },
  keptUntil: 'Newest record that is kept',
  writtenUntil: 'Files last written',
  kept: 'The present files are kept in a separate folder.',
  done: 'The data is open',
}
