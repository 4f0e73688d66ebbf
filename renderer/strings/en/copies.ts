/** Texts of where the data are kept: this computer, places, restore points, the recovery sheet, and the way back. */
import { count, formatBytes, formatNumber } from '../format.ts'

const files = (total: number) => count(total, { one: 'media file', other: 'media files' })
const changes = (total: number) => count(total, { one: 'change', other: 'changes' })

export const copies = {
  title: 'Where your data is kept',
  lead: 'On this computer, and encrypted at places of your choice.',
  leadElsewhere: 'Encrypted at places of your choice, at most a minute old.',
  list: 'Places',
  none: 'Nothing is kept outside of this computer',
  noneText:
    'If this computer is stolen or breaks, its backups are lost with it. Add an external disk, a folder that another program syncs, or storage in the network: then you can continue on another computer.',
  thisComputer: 'This computer',
  backedUp: 'Backed up',
  noBackup: 'No backup yet. Automatic backups run once a day.',
  localStates: { tested: 'Tested', untested: 'Not tested', damaged: 'Not restorable', none: 'No backup' },
  tested: 'tested',
  lastTested: 'Last successful test:',
  neverTested: 'No backup has been tested yet.',
  newestNotRestorable: (problem: string) => `The newest backup is not restorable: ${problem}`,
  signIn: 'Sign in as the owner of this server to see its places.',
  now: 'Copy now',
  add: 'Add a place…',
  addTitle: 'Add a place',
  addSubmit: 'Check and add',
  added: 'The place was added. The first copy is being made',
  sameDisk:
    'This folder is on the same disk as the server: if the disk breaks, the copy is lost, too. Choose a folder on another disk, or add it all the same, for example if another program syncs it.',
  sameDiskSubmit: 'Add it all the same',
  password: 'Enter again…',
  passwordTitle: 'Enter the password again',
  passwordSubmit: 'Check and save',
  passwordSaved: 'Saved',
  decisions: { remove: 'Remove…', beginAnew: 'Begin anew here', dismiss: 'Dismiss' },
  decisionTitles: {
    remove: (name: string) => `Stop copying to ${name}?`,
    beginAnew: (name: string) => `Begin anew at ${name}?`,
    dismiss: () => 'Stop offering these changes?',
  },
  decisionTexts: {
    remove:
      'Copying to this place stops. The existing copy stays: delete it yourself if you no longer need it.',
    beginAnew:
      'Do this only if the copy that was there no longer exists, for example because the disk was replaced or emptied. If the disk is merely disconnected, connect it: copying then continues.',
    dismiss: 'They are no longer offered. The place keeps them until it removes older data.',
  },
  decisionSubmits: { remove: 'Stop copying', beginAnew: 'Begin anew', dismiss: 'Dismiss' },
  decided: {
    remove: 'The place was removed',
    beginAnew: 'A new copy is being made',
    dismiss: 'The changes are no longer offered',
  },
  configured: 'Set by PDS_COPIES',
  bySetting: (name: string) => `The places are set by ${name}.`,
  byProgram: 'The places are changed in the program that runs this server.',
  atServer: 'Open this page on the computer of the server to add and remove places.',

  kind: 'Kind of place',
  kinds: { folder: 'Folder', webdav: 'WebDAV', s3: 'S3 storage' },
  kindTexts: {
    folder: 'A folder on an external disk, in a synced folder, or on a network share.',
    webdav: 'A folder of Nextcloud or another server with WebDAV.',
    s3: 'A bucket of storage that is compatible with S3.',
  },
  folderHint: 'The copy gets a folder of its own in it: desktop-pds-copy.',
  addresses: { folder: 'Folder', webdav: 'Address of the folder', s3: 'Address of the storage' },
  examples: {
    folder: '/media/disk',
    webdav: 'https://cloud.example.com/remote.php/dav/files/me/server',
    s3: 'https://s3.example.com',
  },
  user: 'User',
  appPassword: 'Password',
  appPasswordHint: 'Use an app password of that server, not your own password.',
  bucket: 'Bucket',
  bucketHint: 'With a folder in it, if you like: my-bucket/server',
  region: 'Region',
  accessKeyId: 'Access key ID',
  secretAccessKey: 'Secret access key',

  states: {
    current: 'Up to date',
    sending: 'Sending',
    behind: 'Behind',
    paused: 'Paused',
    waiting: 'Not copied yet',
    problem: 'Problem',
  },
  copied: (ago: string) => `Copied ${ago}`,
  neverCopied: 'Not copied yet',
  proven: 'Proven restorable',
  progress: 'Sent',
  sent: (sent: number, total: number) => `${formatBytes(sent)} of ${formatBytes(total)} sent`,
  left: (length: string) => `about ${length} left`,
  soon: 'less than a minute left',
  behind: (length: string) => `The changes of the last ${length} are not there yet.`,
  missingMedia: (total: number) => `${files(total)} still to be copied.`,
  paused: 'Copying waits for an unmetered network.',
  /** Before the message of the problem. Those of other kinds say it themselves. */
  problems: {
    unreachable: 'This place cannot be reached.',
    refused: 'This place refuses access.',
    full: 'This place is full.',
    invalid: 'This cannot be used as a place.',
    damaged: 'The copy at this place is damaged.',
    foreign: 'This place belongs to another server.',
    local: 'This computer cannot make the copy.',
  },
  notProven: (problem: string) => `A test of this copy failed. What is missing is sent again. ${problem}`,
  since: (when: string) => `Since ${when}.`,
  lost: (total: number, when: string) =>
    `This place has ${changes(total)} that this computer has lost. The last one is of ${when}.`,
  lostByServer: 'Restore them on the computer of the server.',
  restoreLost: 'Restore them…',
  missingHere: (total: number) => `Missing here and at this place: ${files(total)}.`,
  missingLink: 'Missing media',

  elsewhere: (since: string | undefined) =>
    since === undefined
      ? 'Another computer continues this server.'
      : `Another computer has continued this server since ${since}.`,
  elsewhereText:
    'It runs there from the copy, or from another copy of these data. So that your identity does not act twice, this computer accepts no changes.',
  elsewhereKept:
    'Changes that were made here and not copied before are only on this computer. To keep them, export everything to a file, or continue here: then they are copied, too.',
  continueHere: 'Continue on this computer…',
  continueTitle: 'Continue on this computer?',
  continueText:
    'This computer accepts changes again. The other computer stops accepting them as soon as it sees the place, within minutes if it is on.',
  continueLost:
    'What was posted or changed on the other computer since then is not here. It stays on that computer and at the place.',
  continueSubmit: 'Continue here',
  continued: 'This computer continues the server',
  stopHere: 'Stop using this computer…',
  stopTitle: 'Stop using this computer?',
  stopText:
    'The server on this computer stops and no longer starts at login. Its data stays here. The other computer goes on.',
  stopSubmit: 'Stop the server',
  stopped: 'The server on this computer is stopped',

  banner: (place: string, message: string) =>
    `Nothing has been copied to ${place} for more than a day. ${message}`,
  show: 'Show places',
}

export const sheet = {
  title: 'Recovery sheet',
  detail: 'The key of the copies on one page. Only this key can restore them.',
  open: 'Show…',
  show: 'Show',
  proof: 'Anyone who has the key and a copy can act as all accounts of the server.',
  remind: 'Print or save the recovery sheet.',
  remindText: 'If this computer is lost, only its key can restore the copies.',
  remindAction: 'Show recovery sheet',
  keep: 'Keep this page outside of the computer, for example with your documents. Anyone who has it and the copy can act as all accounts of the server.',
  place: 'Place',
  account: 'Account',
  key: 'Key',
  qr: 'The key as a QR code',
  keyNote: 'Spaces and line breaks do not matter.',
  useTitle: 'If the computer is lost',
  use: [
    'Install Desktop PDS on another computer and open it.',
    'Below the form for the first account, choose “I have a backup or a copy”, then “Restore from a copy”.',
    'Enter the place above, its password if it has one, and the key. A disk may be in another folder there.',
    'Choose the restore point to return to. Afterwards sign in with your handle and password.',
    'If the lost computer comes back, it accepts no changes once it sees the copy.',
  ],
  kit: 'The recovery kit of your identity belongs to this page: once the identity is published, you get it back with the kit even without a copy. If you have none yet, make one on the Account screen.',
  save: 'Save to a file…',
}

export const bringBack = {
  saved: 'I have a backup or a copy',
  savedDetail: 'Continue with the accounts of another computer, or of this one before.',
  savedTitle: 'What do you have?',
  way: 'Restore from a copy',
  wayDetail: 'Continue the server of a computer that was lost, with its recovery sheet.',
  lead: 'Everything comes back from the place where your server was copied to. You need its recovery sheet.',
  key: 'Key of the recovery sheet',
  keyHint: 'Begins with AGE-SECRET-KEY-1',
  keyFile: 'From a file…',
  find: 'Open the copy',
  back: 'Start in another way',
  chooseTitle: 'Choose a restore point',
  chooseLead: 'The server comes back as it was then.',
  place: 'the place',
  otherPlace: 'Another place or key',
}

/** Restore points, and the dialog that restores one. */
export const restoring = {
  points: 'Restore points',
  pointsOf: (name: string) => `Restore points of ${name}`,
  none: 'There are no restore points yet.',
  showAll: (total: number) => `Show all ${formatNumber(total)}`,
  otherTime: 'Another time…',
  restore: 'Restore…',
  restoreLabel: (when: string) => `Restore as of ${when}`,
  partial: 'Incomplete: damaged pages are left out',
  check: 'Test',
  checkAgain: 'Test again',
  checkLabel: (when: string) => `Test backup of ${when}`,
  checkAgainLabel: (when: string) => `Test again the backup of ${when}`,
  damaged: 'Damaged',
  missingMedia: (total: number) =>
    `without ${count(total, { one: 'lost media file', other: 'lost media files' })}`,
  notRestorable: (problem: string) => `Not restorable: ${problem}`,

  elsewhere: 'The program that runs this server restores it: open its window, then choose Backups.',
  closed: 'This was closed on another page. Open it again.',
  title: 'Restore the server?',
  opening: 'Opening…',
  open: 'Open',
  time: 'Time',
  timeHint: 'The last state before this time is used.',
  passphrase: 'Passphrase of the file',
  steps: {
    database: 'Fetching the database',
    changes: 'Fetching the changes',
    media: 'Fetching media',
  },
  content: {
    file: 'File',
    at: 'As of',
    size: 'Size',
    accounts: 'Accounts',
    records: 'Records',
    notifications: 'Notifications',
    media: 'Media files',
  },
  noAccounts: 'None',
  andMore: (accounts: number) => `and ${formatNumber(accounts)} more`,
  mediaMissing: (total: number, missing: number) =>
    missing === 0
      ? formatNumber(total)
      : `${formatNumber(total)}, of which ${formatNumber(missing)} are missing`,
  text: 'The server restarts with this data. Later changes are removed from the server. The current data is kept in a separate folder for 30 days.',
  withoutAccounts:
    'No account is in it, so no one can sign in afterwards. Create a first account then: the Backups screen puts the current data back.',
  otherComputer: 'The other computer stops accepting changes as soon as it is on and sees the place.',
  typed: 'Type restore to confirm',
  typedWord: 'restore',
  submit: 'Restore',
  silent:
    'The server has not answered for a minute. A large restore takes longer. If it has ended, its terminal says why: start it again.',
  again: 'If it stops, start it again: it continues where it stopped.',

  doneTitle: 'The server is restored',
  doneText: (when: string) => `It is as it was on ${when}.`,
  missing: (total: number) => `${files(total)} were not there. The screen Data lists them.`,
  previousText: 'The previous data is kept for 30 days. You can delete it earlier on the Backups screen.',
  previousData: 'Previous data',
  signIn: 'You may need to sign in again, with the password from that time.',
}
