/** The texts of messages: the reason, the server, the code, its lifetime, and advice for readers who did not request it. */

export type MailPurpose = keyof typeof wordings

/** How long a mailed code is valid. */
export const CODE_LIFETIME_MINUTES = 15

export interface MailContent {
  readonly purpose: MailPurpose
  readonly subject: string
  readonly text: string
  readonly code: string
}

export interface MailDetails {
  readonly handle: string
  /** Origin of the server. */
  readonly server: string
  readonly code: string
}

const SIGNED_IN =
  'But someone else is signed\nin to your account: reset your password, which ends every session.'

const wordings = {
  confirmEmail: {
    subject: 'Confirm your email address',
    asked: 'You asked to confirm that this email address is yours.',
    ifNotYou: 'Ignore this message. Someone may have entered your address by mistake;\nit stays unconfirmed.',
  },
  updateEmail: {
    subject: 'Change your email settings',
    asked: 'You asked to change the email address of your account, or whether\nsigning in needs a code.',
    ifNotYou: `Nothing changes without the code. ${SIGNED_IN}`,
  },
  resetPassword: {
    subject: 'Reset your password',
    asked: 'Someone asked to reset the password of your account.',
    ifNotYou: 'Ignore this message. Your password does not change.',
  },
  deleteAccount: {
    subject: 'Delete your account',
    asked:
      'You asked to delete your account. When you enter the code and your\npassword, it is deleted for good.',
    ifNotYou: `Nothing is deleted without the code. ${SIGNED_IN}`,
  },
  authFactor: {
    subject: 'Your sign-in code',
    asked: 'Someone is signing in to your account with your password.',
    ifNotYou: 'Do not share the code, and reset your password: someone else has it.',
  },
  signPlcOperation: {
    subject: 'Change your identity',
    asked:
      'You asked to change the identity of your account, such as moving it to\nanother server. Anyone with the code and your session can take it over.',
    ifNotYou: `Do not share the code. ${SIGNED_IN}`,
  },
} as const

/** Changes that are listed and mailed, because they could lock the holder out. */
const changes = {
  factorAdded: 'A second step of sign-in was added.',
  factorRemoved: 'A second step of sign-in was removed.',
  recoveryCodes: 'New recovery codes were made. The old ones do not work any more.',
  emailFactorOn: 'Signing in with the password needs a code by email from now on.',
  emailFactorOff: 'Signing in with the password needs no code by email any more.',
  email: 'The email address of the account was changed. This is the last message to\nthis address.',
  password: 'The password was changed. Other sessions have ended.',
  handle:
    'The handle was changed. You can sign in with the new one, with your email\naddress or with your DID.',
  recoveryKeys: 'The recovery keys of your identity were changed.',
  serverSettings:
    'Settings of the server that decide which servers it trusts, or its mail server,\nwere changed.',
  backups: 'Daily backups of the server, or the places of its copies, were changed.',
  recoverySheet:
    'The recovery sheet of the copies was shown. With its key and a copy, anyone can\nact as all accounts of the server.',
  restore: 'A restore of the server to another state was started.',
  identity: 'An operation that changes your identity was signed or published.',
  deletionDate:
    'The account was deactivated, and a date was set on which it is deleted.\nSign in and choose "Keep this account" to stop it.',
} as const

export type SecurityChange = keyof typeof changes

/** Renders the notice of a change. */
export function noticeFor(
  change: SecurityChange,
  { handle, server }: Pick<MailDetails, 'handle' | 'server'>,
): Pick<MailContent, 'subject' | 'text'> {
  const text = `Hello @${handle},

${changes[change]}
Server: ${server}

If it was neither you nor the administrator of the server:
Someone else is signed in to your account. Reset your password, which ends
every session, and look through Account and Apps and sessions.
`
  return { subject: 'Your account was changed', text }
}

/** Renders the message for a purpose. */
export function mailFor(purpose: MailPurpose, { handle, server, code }: MailDetails): MailContent {
  const { subject, asked, ifNotYou } = wordings[purpose]
  const text = `Hello @${handle},

${asked}
Server: ${server}

Your code: ${code}

It is valid for ${CODE_LIFETIME_MINUTES} minutes and works once.

If it was not you:
${ifNotYou}
`
  return { purpose, subject, text, code }
}
