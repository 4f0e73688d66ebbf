/** Texts of apps that sign in by OAuth: the request, and what each scope means. */
export const authorize = {
  title: (app: string) => `${app} asks to sign in`,
  unknownTitle: 'The request of the app is not valid',
  expired: 'It has expired, or was answered already. Start again in the app.',
  answered: 'This sign-in has ended',
  answeredText:
    'It was answered in the app window, or has expired. After an approval, the app continues in the window of your browser that has opened.',
  signInFirst: (app: string) => `${app} asks to sign in to your account. Sign in here first.`,
  signInAs: (app: string, account: string) =>
    `${app} asks to sign in as ${account}. Sign in to this account first.`,
  signInAgain: (app: string) => `${app} asks for a new sign-in. Enter your password again.`,
  here: 'An app on this computer',
  hereText: 'This server cannot verify the app. Allow it only if you have just started it.',
  elsewhere: 'An app on the computer that started this sign-in',
  elsewhereText:
    'This server cannot verify the app. Allow it only if you have just started it on the computer in front of you. If the browser then fails to show a page, keep its address secret: it contains your sign-in.',
  at: (address: string) => `An app at ${address}`,
  account: 'Account',
  may: 'The app could',
  client: 'App',
  returnsTo: 'Answer goes to',
  allow: 'Allow',
  deny: 'Do not allow',
  end: 'You can end this at any time under Account › Apps and sessions.',
  inApp: 'Approve in the app window',
  inAppText:
    'Then no password is typed into this page. This needs the app Desktop PDS, signed in to the account.',
  signInHere: 'Sign in here instead',
  waiting: 'Open the app Desktop PDS on this computer and enter this number there:',
  number: 'Number',
  enterNumber: 'Number in the browser',
  enterNumberHint: 'The browser that started the sign-in shows two digits. If you see none, do not allow it.',
  allowed: (app: string) => `${app} may sign in`,
  denied: (app: string) => `${app} may not sign in`,
}

/** The permissions of a scope, after "The app could". */
export const scopes = {
  atproto: 'see your handle and identity',
  generic:
    'write and delete everything public, upload media, and read and change everything but chats and account settings',
  email: 'see your email address',
  chat: 'read and write chats',
  actions: { create: 'create', update: 'change', delete: 'delete' } as Readonly<Record<string, string>>,
  and: (items: readonly string[]) => new Intl.ListFormat('en').format(items),
  /** The phrases have commas and “and” of their own. */
  all: (phrases: readonly string[]) => phrases.join('; '),
  repo: (actions: string, what: string) => `${actions} ${what}`,
  allRecords: 'records of every kind',
  blob: (types: string) => `upload ${types}`,
  blobs: {
    '*/*': 'files of any kind',
    'image/*': 'pictures',
    'video/*': 'videos',
    'audio/*': 'sound files',
  } as Readonly<Record<string, string>>,
  files: (type: string) => `files of the type ${type}`,
  rpc: (what: string, where: string) => `call ${what} at ${where} as you`,
  allCalls: 'everything',
  anyService: 'any service',
  emailChange: 'see and change your email address',
  repoReplace: 'replace all your records',
  handle: 'change your handle',
  identity: 'change your identity',
  set: (name: string) => `do what ${name} contains`,
}
