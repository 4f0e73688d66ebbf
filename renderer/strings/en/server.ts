import type { TextSetting } from '../../../electron/ground/bridge.ts'

/** Texts of the Server screen. */
export const server = {
  lead: 'The state and the settings of the server on this computer. Switches and choices apply at once, text with Save.',
  leadServer:
    'The settings of the server on this computer. Switches and choices apply at once, text with Save.',
  signIn: 'Sign in as the owner of this server, on its computer, to see its settings.',
  states: {
    starting: 'Starting',
    stopping: 'Stopping',
    stopped: 'Stopped',
    running: 'Running',
    failed: 'Not running',
  },
  started: 'Started',
  start: 'Start',
  stop: 'Stop',
  restart: 'Restart',
  openPage: 'Open in browser',
  stopTitle: 'Stop the server?',
  stopText: 'Clients cannot connect until you start it again.',
  restartNote: 'Saving restarts the server. Clients reconnect automatically.',
  laterNote: 'Changes apply when the server is started again.',
  waiting: (names: string) => `Saved for the next start of the server: ${names}.`,
  waitingText:
    'Stop the server with Ctrl+C or through the service that runs it, then start it with the same command.',
  fixedBy: (by: string) => `Set by ${by}. Start the server without it to change this here.`,
  proofTitle: 'Confirm the change',
  proofText: 'These settings decide which servers yours trusts, and where clients find it.',
  saved: 'Saved',
  notSaved: 'Not saved.',
  discard: 'Discard',
  port: 'Port',
  portLead: 'Who can connect is set on the Network screen.',
  toNetwork: 'Network settings',
  signUp: 'New accounts',
  signUpLead: 'The handles people can choose, and who can create an account.',
  inviteRequired: 'Invite codes',
  inviteRequiredDetail:
    'You do not need one for the first account. Create codes on the Invites screen. Without them, everyone who can reach the server can create an account.',
  inviteRules: {
    auto: 'Required once others can reach the server',
    on: 'Always required',
    off: 'Not required: sign-up is open to everyone',
  },
  mail: 'Email',
  mailLead: 'The mail server that sends emails. Without one, messages stay in the outbox.',
  mailFixed: (host: string) => `Messages are sent by ${host}.`,
  mailProof: 'The mail server reads every code that is mailed, also those that reset a password.',
  mailTest: 'Send a test',
  mailTestTitle: 'Test these settings',
  mailTestLead: 'Connects, signs in and sends a message. Nothing is saved.',
  mailTested: (to: string) => `Test message sent to ${to}`,
  mailLabels: {
    host: 'Mail server',
    port: 'Mail port',
    security: 'Encryption',
    user: 'User name',
    from: 'Sender',
  },
  mailHints: {
    host: 'Such as smtp.example.com. Leave empty to keep messages in the outbox.',
    port: 'Usually port 465 with TLS or 587 with STARTTLS.',
    user: 'Often the full email address.',
    from: 'One of your addresses at this mail server, such as Home server <me@example.com>.',
  },
  mailPassword: 'Password',
  mailPasswordKept: 'A password is saved. Leave empty to keep it.',
  mailPasswordRemove: 'Remove the saved password',
  mailSecurities: { tls: 'TLS', starttls: 'STARTTLS', none: 'None (not encrypted)' },
  advanced: 'Advanced',
  advancedLead: 'Most servers work with the defaults.',
  /** Of text settings, by the form that edits them. */
  labels: {
    port: { port: 'Port' },
    address: {
      publicUrl: 'Public address',
      proxyPort: 'Port for a proxy on this computer',
      trustedProxies: 'Trusted proxies elsewhere',
      hostnames: 'Additional host names',
    },
    names: { hostnames: 'Additional host names' },
    pages: { trustedOrigins: 'Web pages that may read like programs' },
    services: {
      plcUrl: 'PLC directory',
      relays: 'Relays',
      appViewDid: 'App view DID',
      appViewUrl: 'App view address',
      backlinkStreamUrl: 'Activity index of the network: stream',
      backlinkIndexUrl: 'Activity index of the network: index',
    },
    signUp: { userDomains: 'Handle domains', inviteInterval: 'Invite code interval' },
    advanced: { aliases: 'Alternative method names' },
  } satisfies Record<string, { readonly [Name in TextSetting]?: string }>,
  hints: {
    port: 'The port is part of the address. After a change, update the address in your clients.',
    publicUrl:
      'The address on the internet, such as https://pds.example.com. It is published in the identities of accounts.',
    trustedProxies:
      'IP addresses of proxies on other computers that may name their visitors, separated by commas.',
    proxyPort:
      'The proxy or tunnel must lead to this port, not to that of the server. Everything that arrives there counts as from outside.',
    trustedOrigins:
      'Addresses of pages as the browser shows them, such as http://localhost:5173, separated by commas. Delete one to end its access.',
    hostnames: 'Names that devices use for this computer, separated by commas.',
    userDomains: 'The endings of handles, separated by commas, each with a leading dot.',
    inviteInterval: 'Each account earns one code per interval, such as 12h or 7d. Leave empty for none.',
    aliases:
      'Method names that clients of the network use, as from=to, separated by commas. Enter “none” to turn aliases off.',
    plcUrl: 'Where identities are published, such as https://plc.directory. Leave empty to publish none.',
    relays:
      'Servers that pass posts on to the network, such as https://relay.example.com, separated by commas. Asked only if the server is public.',
    appViewDid:
      'The service that handles the methods this server does not have, such as did:web:api.example.com.',
    appViewUrl: 'Its address, such as https://api.example.com. Needs the DID too.',
    backlinkStreamUrl:
      'Reports activity of a public network that concerns accounts here. Its operator sees which accounts those are.',
    backlinkIndexUrl: 'Asked for activity that was missed while this server was off.',
  },
  logLevel: 'Log level',
  logLevelHint: 'Passwords and tokens are never logged.',
  logLevels: {
    trace: 'Trace',
    debug: 'Debug',
    info: 'Info (default)',
    warn: 'Warnings',
    error: 'Errors',
    fatal: 'Fatal errors',
    silent: 'Off',
  },
  data: 'Data',
  protectedBySystem: 'The passwords and sessions of this app are encrypted with the system keyring.',
  protectedByFile:
    'No system keyring is available. The passwords and sessions of this app are stored unencrypted in a file that only your user account can read.',
}
