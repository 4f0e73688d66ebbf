/** Texts of moving an account between servers. */
import { count, formatNumber } from '../format.ts'

const files = (total: number) => count(total, { one: 'file', other: 'files' })

export const move = {
  // First run and sign-in.
  otherWays: 'Other ways to start',
  bring: 'Bring an account from another server',
  bringDetail: 'Its records, media, followers and identity come along.',
  restore: 'Restore a backup',
  restoreDetail: 'A backup file, or a backup in the data folder of this computer.',

  // Moving in.
  findTitle: 'Bring your account here',
  findLead: 'Your records, media, preferences and followers come along. The old account stays until the end.',
  identifier: 'Your handle',
  identifierHint: 'Such as alice.example, or a DID',
  server: 'Address of your server',
  serverHint: 'Only if your handle is not found',
  signInTitle: (host: string) => `Sign in at ${host}`,
  signInLead: (handle: string) => `${handle} lives there now. Then choose how you sign in here.`,
  password: (host: string) => `Password at ${host}`,
  passwordHint: 'The main password, not an app password. It is used once and not stored.',
  keepHandle: (handle: string) => `Keep ${handle}`,
  keepHandleHint: 'For a domain of your own. Names of the old server stop working.',
  newPassword: 'New password for this server',
  emailHint: 'Leave it empty to use the one of your old account',
  submit: 'Start the move',

  // Moving out.
  outSection: 'Move',
  out: 'Move to another server',
  outDetail: 'Your followers and your identity come along. The account here is deactivated at the end.',
  outAction: 'Move',
  outLead: 'Records, media, preferences and followers come along. You can cancel until your identity moves.',
  outServer: 'New server',
  outServerHint: 'Its address, such as pds.example',
  outAccountTitle: (host: string) => `Your account at ${host}`,
  outHandle: 'Handle there',
  outPassword: (host: string) => `New password for ${host}`,
  outInviteHint: (host: string) => `${host} requires an invite code. Ask its owner for one.`,
  outFrom: 'What moves',
  outCounts: (records: number, media: number) =>
    `${count(records, { one: 'record', other: 'records' })}, ${files(media)}`,

  // Progress.
  titleIn: 'Your account moves here',
  titleOut: (host: string) => `Your account moves to ${host}`,
  lead: 'You can leave this screen: the move goes on, also after a restart.',
  keptCancel: 'What was copied to this server is kept until the move ends or you cancel it.',
  kept: 'What was copied to this server is kept until the move ends.',
  steps: 'Steps',
  stepNames: {
    repository: 'Records',
    media: 'Media',
    preferences: 'Preferences',
    identity: 'Identity',
    activation: 'Activation',
    deactivation: 'Old account',
  } as Readonly<Record<string, string>>,
  stepDetails: {
    repository: 'Posts, likes, follows and all other records; once more after you have entered the code',
    media: 'Pictures and videos',
    preferences: 'Private settings of your apps',
    identity: 'Your DID names the new server',
    activation: 'The account becomes active at the new server',
    deactivation: 'The old account is deactivated',
  } as Readonly<Record<string, string>>,
  stateNames: { done: 'Done', current: 'In progress', waiting: 'Waiting', stopped: 'Needs you' },
  announcement: (step: string, state: string) => `${step}: ${state}`,
  mediaProgress: (copied: number, expected: number, size: string) =>
    `${formatNumber(copied)} of ${files(expected)}, ${size}`,
  missing: (missing: number) => `${files(missing)} could not be copied.`,
  missingTitle: 'Some files cannot be copied',
  missingLead: (missing: number, host: string) =>
    `${files(missing)} cannot be copied to ${host}. Try again if you can bring them back, for example by uploading them to the old server. Otherwise the records that show them move without them.`,
  missingLeadIn: (missing: number, host: string) =>
    `${files(missing)} cannot be copied from ${host}. Try again if you can bring them back, for example by uploading them there. Otherwise the records that show them move without them.`,
  missingList: 'Missing files',
  missingFile: 'File',
  missingReasons: {
    notFound: 'not at the old server',
    takenDown: 'taken down by the administrator of the old server',
    tooLarge: 'too large',
    wrongBytes: 'damaged at the old server',
  } as Readonly<Record<string, string>>,
  missingMore: (more: number) => `and ${files(more)} more`,
  missingAccept: 'Move without these files',
  copyTitle: 'The old account is still in use',
  copyLead: (host: string) =>
    `The account at ${host} changed during each of several copies. Stop writing there, in all your apps, then copy again.`,
  laterLead: (host: string) =>
    `Something was written at ${host} after the last copy. Your account is active here already. Stop writing there, then copy again, or end the move without it.`,
  copySubmit: 'Copy again',
  laterAccept: 'End the move without it',
  failed: 'This step failed. It is tried again from time to time.',
  codeTitle: 'Confirm the move',
  codeIn: (host: string) =>
    `${host} has sent a code to the email address of your account there. With it, your identity moves to this server.`,
  codeOut: (email: string, host: string) =>
    `A code was sent to ${email}. With it, your identity moves to ${host}.`,
  passwordOut: (host: string) => `With your password, your identity moves to ${host}.`,
  codeFinal: 'Then the move can no longer be cancelled.',
  codeSent: 'A new code was sent',
  signInAgainTitle: (host: string) => `Sign in at ${host} again`,
  signInAgain: 'The session there has ended. The move continues after you sign in.',
  signInSubmit: 'Sign in',
  factor: 'Sign-in code',
  documentTitle: 'Change your DID document',
  documentLead:
    'Your DID is a domain. Write these values into its document at /.well-known/did.json, then check again.',
  copyDocument: 'Copy values',
  cancel: 'Cancel the move',
  cancelTitle: 'Cancel the move?',
  cancelIn: (host: string) =>
    `What was copied to this server is deleted. Your account at ${host} stays as it is.`,
  cancelOut: (host: string) =>
    `Your account here stays as it is. What was copied to ${host} stays there, deactivated.`,
  cancelled: 'The move was cancelled',
  doneIn: 'Your account lives here now',
  doneInText: (host: string, handle: string) =>
    `You are ${handle}. The account at ${host} is deactivated; you can delete it there.`,
  doneOut: (host: string) => `Your account lives at ${host} now`,
  doneOutText: (handle: string) =>
    `Sign in there as ${handle}. The account here is deactivated: keep it as a copy, or delete it.`,
  bannerStopped: (host: string) =>
    `This account is moving to ${host}. Nothing can be changed here until the move has ended.`,
  banner: (host: string) => `This account is being moved. The other server is ${host}.`,
  bannerMoved: (host: string) => `This account has moved to ${host}. What you see here is a copy.`,
  show: 'Show the move',
}
