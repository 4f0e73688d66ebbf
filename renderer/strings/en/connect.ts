/** Connecting a client: which one, what to type there, and what to do when it does not arrive. */
export const connect = {
  title: 'Connect a client',
  lead: 'Choose a client. Everything that it asks for is here, ready to copy.',
  client: 'Client',
  clients: {
    window: 'This window',
    official: 'Bluesky',
    password: 'Another app with a password',
    oauth: 'An app that opens a page',
    goat: 'goat',
    library: 'Your own program',
    curl: 'curl',
  },
  appNames: {
    official: 'Bluesky',
    password: 'App',
    goat: 'goat',
    library: 'Script',
    curl: 'curl',
  },
  address: 'Address',
  copyHandle: 'Copy handle',
  copyPassword: 'Copy app password',
  makePassword: 'Make an app password',
  passwordHidden: 'Made for this client. It is shown here once.',
  copyCode: 'Copy code',
  openOfficial: 'Open bsky.app',
  device: 'Where the client runs',
  devices: { here: 'On this computer', phone: 'On my phone' },
  qr: (address: string) => `QR code of ${address}`,
  phoneHint: 'For phones and computers on the same network. Scan it to open this server there.',
  phonePublicHint: 'Works everywhere. Scan it to open this server there.',
  phoneClosed:
    'Only programs on this computer can connect. Choose Local network on the screen Network, then come back.',
  phoneOffline: 'This computer is in no network. Connect it to the Wi-Fi of the phone, then come back.',
  otherAddresses: 'Does not open? Other addresses of this computer',
  needsBirthDate: 'This app asks for your age. It reads your birth date from your account.',
  steps: {
    window: 'Nothing to set up: you are signed in. Write and read on this page.',
    official: 'Open the app and choose Sign in.',
    provider: 'Under Hosting provider choose Custom, and enter the address.',
    otherServer: 'Choose to sign in with another server (hosting provider, PDS), and enter the address.',
    account: 'Enter the handle and an app password.',
    oauth: 'Enter the address. Apps cannot find a handle that only this server knows.',
    oauthPublic: 'Enter the handle or the address.',
    allow: 'A page of this server opens. Compare the app and what it asks for, then allow it.',
    command: 'Make an app password, then run this:',
    code: 'Make an app password, then use this:',
  },
  none: 'No client has signed in yet.',
  noneNow: 'No client is signed in now.',
  waiting: 'Waiting for the client…',
  reached: (name: string) => `${name} has reached this server. Sign in there.`,
  connected: 'Connected',
  connectedText: (name: string) => `${name} is signed in.`,
  unknown: 'The client',
  helpTitle: 'It does not connect',
  help: [
    {
      problem: 'A web page says that it cannot reach the server',
      remedy:
        'Chrome, Edge and other browsers from version 142 on ask whether a site may reach apps on this device or the local network. Reload the page and choose Allow. If it does not ask: click the icon left of the page’s address, then Site settings, and allow Apps on device and Local network.',
    },
    {
      problem: 'A web page on this computer, or a browser extension, reads nothing',
      remedy:
        'It signs in like every other client, and reads then. If it must read before that, add its address, such as http://localhost:5173, on the screen Network under “Trusted web pages”, or to PDS_TRUSTED_ORIGINS.',
    },
    {
      problem: 'The client accepts only addresses that begin with https',
      remedy: 'It needs a public address. The screen Network says how to get one.',
    },
    {
      problem: 'The client does not ask for a server',
      remedy:
        'Some clients know their servers from a list of their own, or find them by the handle alone. A handle that only this server knows is not found. Look for “custom”, “other server”, “hosting provider” or “PDS”; clients without that need a public address and a handle of your own domain.',
    },
    {
      problem: 'The app on a phone does not reach it',
      remedy:
        'Choose “On my phone” above the address: the phone needs another one. It must be on the same network, unless the server is public.',
    },
    {
      problem: 'An app with a backend of its own says that it cannot reach the server',
      remedy: 'Its backend runs on another machine, so it needs the public address.',
    },
    {
      problem: 'An app says after Allow that it cannot resolve the identity',
      remedy:
        'It looks identities up in the public directory, where an account of this computer is not published. An app of your own uses the address of this server as its directory and handle resolver (plcDirectoryUrl, handleResolver). Other apps need a public address and a directory.',
    },
    {
      problem: 'The official app waits for ever without a network',
      remedy:
        'For its first sign-in it calls a host of the network. Once it is signed in, it works without a network.',
    },
    {
      problem: 'The official app asks for your age again and again',
      remedy:
        'It reads the birth date of the account. Add it in Account; with an app password it cannot add one.',
    },
  ],
}
