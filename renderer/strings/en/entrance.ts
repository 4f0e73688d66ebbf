/** Texts of signing in, creating an account and resetting a password. */
export const welcome = {
  firstTitle: 'Create the first account',
  firstLead: 'This server has no accounts yet. The first account becomes its owner and manages the others.',
  signInTitle: 'Sign in',
  createTitle: 'Create an account',
  createLead: 'Choose a handle and a password.',
  toSignIn: 'Sign in instead',
  back: (handle: string) => `Back to ${handle}`,
}

/** What an account consists of. */
export const made = {
  names: { handle: 'Your handle', identity: 'Your identity', folder: 'One folder', exit: 'A way out' },
  texts: {
    handle: 'The name by which people find you. You can change it.',
    identity: 'Made on this server, with keys. It stays the same when you change your handle or the server.',
    folder: 'All that you write, with backups, on the computer of this server.',
    exit: 'Download everything, or move to another server, at any time.',
  },
}

export const signUp = {
  handleHint: (domain: string) =>
    domain.endsWith('.test')
      ? `Your name on this server: 3 to 18 letters, digits or hyphens. You can take a public one later.`
      : `Your public name: 3 to 18 letters, digits or hyphens before ${domain}`,
  free: (handle: string) => `${handle} is available`,
  taken: (handle: string) => `${handle} is already taken. Try another.`,
  tooShort: 'Use at least 3 characters.',
  tooLong: 'Use at most 18 characters.',
  letters: 'Use only letters, digits and hyphens. Do not start or end with a hyphen.',
  strength: { label: 'Strength', short: 'Too short', weak: 'Weak', fair: 'Fair', strong: 'Strong' },
  passwordHint: 'At least 8 characters. Several unrelated words work well.',
  inviteHint: 'New accounts need an invite code. Ask the owner of this server for one.',
  refused:
    'This server does not accept new accounts from here. If it is new and yours, create the first account on its own computer, or enter its admin password.',
  isMyServer: 'Set up a new server',
  adminPassword: 'Admin password',
  adminPasswordHint:
    'For the first account. In the file admin-password of the server’s data folder, or as PDS_ADMIN_PASSWORD in its settings.',
  wrongAdminPassword: 'This is not the admin password of this server.',
  submit: 'Create account',
  privacy: 'Privacy policy',
  terms: 'Terms of service',
}

export const firstRun = {
  dataFolder: 'Your data is stored on this computer, in',
  startAtLogin: 'Start when I sign in to this computer',
  startAtLoginHint: 'So that clients can always reach your server.',
  tray: 'The server keeps running when you close the window. Use Quit in the tray menu to stop it.',
  noTray: 'The server runs while this window is open.',
}

export const signIn = {
  identifier: 'Handle or email',
  submit: 'Sign in',
  forgot: 'Forgot your password?',
  ended: (handle: string) =>
    `You were signed out of ${handle}: the session was ended on another device, or the password was changed. Sign in again to continue.`,
  wrong: 'Wrong handle or password. Check both and try again.',
  factorTitle: 'Check your email',
  factorLead: 'A code was sent to the email address of this account. It is valid for 15 minutes.',
  appPassword:
    'This is an app password. App passwords are for other apps and cannot manage the account. Sign in with your main password.',
  takendown:
    'This account was taken down. You can still sign in to move it to another server or to delete it.',
  takendownAction: 'Sign in anyway',
}

export const reset = {
  title: 'Reset your password',
  lead: 'Enter the email address of your account to get a code.',
  codeTitle: 'Set a new password',
  done: 'Password changed. You were signed out everywhere: sign in with the new password.',
  back: 'Back to sign-in',
}

export const mail = {
  again: 'Send a new code',
  missing: 'No email? Messages that could not be emailed are in the outbox of this server.',
  openOutbox: 'Open outbox',
  askOwner:
    'Ask the owner of this server for the code. The owner finds it under Outbox on the computer of the server, or in the folder “outbox” of its data.',
}

const inOutbox = 'This server sends no email. The code is in its outbox, and valid for 15 minutes.'

/** Codes, on a server that sends email and on one that keeps it in the outbox. */
export const codes = {
  sending: {
    mail: (email: string) => `Sending a code to ${email}…`,
    outbox: (_email: string) => 'Making a code…',
  },
  sent: {
    mail: (email: string) => `A code was sent to ${email}. It is valid for 15 minutes.`,
    outbox: (_email: string) => inOutbox,
  },
  sentIfKnown: {
    mail: (email: string) =>
      `If an account uses ${email}, a code was sent to it. The code is valid for 15 minutes.`,
    outbox: (email: string) =>
      `This server sends no email. If an account uses ${email}, a code is in its outbox, and valid for 15 minutes.`,
  },
  step: {
    mail: 'A code was sent to the email address of this account. It is valid for 15 minutes. A code of your authenticator app or a recovery code works too.',
    outbox: `${inOutbox} A code of your authenticator app or a recovery code works too.`,
  },
  again: { mail: 'Send a new code', outbox: 'Make a new code' },
  sentAgain: { mail: 'A new code was sent.', outbox: 'A new code is in the outbox of this server.' },
}

export const takendown = {
  title: 'Account taken down',
  lead: 'The owner of this server took this account down. You can still move it, deactivate it or delete it.',
  moveLead: 'Your records, media and preferences are copied to the other server, and your DID then names it.',
  moveAction: 'Move…',
  token: 'Token for another app',
  tokenLead: 'An app that moves accounts creates the account on another server with this token.',
}
