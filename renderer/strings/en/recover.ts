/** Texts of recovering an account with its recovery key. */
import { count, formatDate, formatNumber } from '../format.ts'

const keys = (total: number, kind: string) => count(total, { one: `${kind} key`, other: `${kind} keys` })

export const recover = {
  way: 'Recover an account with its recovery key',
  wayDetail: 'Its server is lost or no longer yours, and you have its recovery kit.',

  // The key.
  title: 'Recover your account',
  lead: 'With the secret key of your recovery kit, your identity names this server from now on. The earlier server is not asked.',
  identifier: 'Handle or DID',
  identifierHint: 'Both are on the recovery kit. If the handle is not found, enter the DID.',
  key: 'Secret key',
  keyHint: 'Begins with z. It stays in this window: the server gets a signature, and never the key.',
  keyWrong: 'This is not a secret key: a character is wrong or missing. It begins with z.',
  keyIsPublic: 'This is the public key. Enter the secret key of the kit, which begins with z.',

  // The account here.
  foundTitle: 'Your identity was found',
  foundLead: 'Choose how you sign in here. Nothing changes for others until the last step.',
  names: 'Names so far',
  server: 'Server so far',
  strongest: 'Your key is the strongest one: no other key can undo this.',
  stronger: (total: number) =>
    `The identity has ${keys(total, 'stronger')} than yours. For 72 hours, a stronger key can undo this.`,
  weaker: (total: number) =>
    `${keys(total, 'weaker')}, such as that of the earlier server, can no longer change the identity. Add other recovery keys again afterwards.`,
  replaces: (total: number, until: string) =>
    `Since your key was last named, the identity was changed ${total === 1 ? 'once' : `${formatNumber(total)} times`} by a weaker key. Until ${formatDate(until)}, 72 hours after that change, your key can undo it. Go on now.`,
  sign: 'Create the account',

  // Its data.
  dataTitle: 'Bring your records',
  dataLead: (handle: string) =>
    `${handle} exists here and is not public yet. Choose the archive of the account, then your identity moves.`,
  archive: 'Archive of the account',
  archiveHint: 'The ZIP file of the screen Data with records and media, or a CAR file with the records.',
  archiveWrong:
    'This is not an archive of an account. Choose the ZIP file of the screen Data, or a CAR file.',
  empty: 'I have no archive',
  emptyWarning:
    'The account starts empty: your posts, likes, follows and lists are not here, and others no longer see them. Your DID and your followers stay. If you may still find an archive, wait: it can be brought as long as the account is not active.',
  submit: 'Move the identity here',
  importing: 'Importing the records…',
  uploading: (done: number, total: number) =>
    `Uploading media: ${formatNumber(done)} of ${formatNumber(total)}`,
  publishing: 'Changing the identity…',
  refused:
    'The directory did not take the change. Try again. If the identity was changed meanwhile, delete this account and recover it again.',
  done: 'Your account lives here now',
  continueAction: 'Bring its records',
}
