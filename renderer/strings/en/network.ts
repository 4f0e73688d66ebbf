/** Texts of the Network screen. */
import { count, formatNumber } from '../format.ts'

export const network = {
  lead: 'Who can reach this server, and what it sends to other machines. Switches and choices apply at once, text with Save.',
  ways: 'Who can connect',
  wayLabels: { thisComputer: 'This computer', localNetwork: 'Local network', public: 'Public' },
  wayDetails: {
    thisComputer: 'Only programs on this computer. Nothing is published. This is the safest choice.',
    localNetwork:
      'Every device on the same network: phones, other computers. Connections are not encrypted. New accounts need an invite code.',
    public:
      'Everyone, at an https address of a reverse proxy or tunnel. Other servers can find and follow accounts here. New accounts need an invite code.',
  },
  current: 'Current',
  notYet: 'Not yet: an address is missing',
  howTo: 'Stop the server and start it with this command:',
  needsSecrets: (names: readonly string[]) =>
    `It needs ${names.join(' and ')} again, with the same value: the command leaves out what is secret.`,
  localTitle: 'Allow connections from other devices?',
  localText: [
    'Every device on the same network will be able to connect: phones and TVs at home, other people’s devices in a café.',
    'Connections are not encrypted. Other people on the network can read the traffic, passwords included.',
    'Use this only on a network you trust, or behind a reverse proxy that adds HTTPS.',
  ],
  localConfirm: 'Allow connections',
  privateTitle: 'Make this server private again?',
  privateText: [
    'Other servers will no longer reach this one. Published identities are changed to the local address.',
    'People elsewhere can no longer see or follow the accounts of this server.',
  ],
  privateConfirm: 'Make private',
  changed: {
    thisComputer: 'Only this computer can connect',
    localNetwork: 'Other devices can connect',
    public: 'Saved',
  },
  address: 'Public address',
  pages: 'Trusted web pages',
  pagesLead:
    'Web pages of other addresses, including those of this computer, and browser extensions can read only after a sign-in. Pages that are listed here can read public data before it.',
  pagesStart: 'None. To add one, stop the server and start it with its address:',
  pagesEnd:
    'These pages can read public data before a sign-in. To remove one, delete it from PDS_TRUSTED_ORIGINS and restart the server.',
  addressLead: 'The address of the reverse proxy or tunnel, and the names under which devices connect.',
  names: 'Names of this computer',
  namesLead: 'The names under which devices on the network connect.',
  otherDevices: 'Connections from other devices',
  otherDevicesDetail: 'Needed only if the proxy runs on another machine.',
  keepAwake: 'Keep this computer awake while public',
  keepAwakeHint:
    'While it sleeps, others cannot reach you. They keep the posts that they have read, and read new ones when it wakes.',
  keepAwakeChoices: { mains: 'When it is plugged in', always: 'Always', off: 'No, it may sleep' },
  closed: 'Only the proxy on this computer can connect',
  localAddresses: 'Addresses in your network',
  signIn: 'Sign in as the owner of this server to see more.',
  services: 'Services',
  servicesLead: 'Other servers that this one works with. Each is off while its field is empty.',
  proxy: 'Reverse proxy or tunnel',
  proxyLead: 'It adds HTTPS and passes requests on to this server.',
  proxies: { caddy: 'Caddy', nginx: 'nginx', tailscale: 'Tailscale Funnel', cloudflared: 'cloudflared' },
  copyConfiguration: 'Copy configuration',
  proxyNotes: {
    caddy: 'Put this into the Caddyfile, then reload Caddy. It gets certificates itself, also for handles.',
    nginx:
      'Put this into /etc/nginx/conf.d/pds.conf, then reload nginx. The certificate comes from Certbot, for example.',
    tailscale:
      'Run this on the computer of the server. The public address is the name that it prints, which can be your handle. Other handles need a domain of their own.',
    cloudflared:
      'Put this into the config.yml of the tunnel, then run the commands. Cloudflare’s free certificate covers names one level below your domain, and its free plan allows uploads of 100 MB.',
  },
  doctor: 'Check',
  doctorLead: 'Sends requests to the public address, as other servers do, and looks at what arrives.',
  check: 'Check now',
  checking: 'Checking. This takes up to a minute.',
  checks: 'Checks',
  checkNames: {
    publicUrl: 'Public address',
    dns: 'DNS',
    tls: 'Certificate',
    server: 'Server',
    clientAddress: 'Visitor addresses',
    uploads: 'Uploads',
    webSocket: 'WebSocket',
    handles: 'Handles',
    directory: 'Directory',
    relays: 'Relays',
    signUp: 'New accounts',
  },
  states: { ok: 'OK', warning: 'Warning', failed: 'Failed', unknown: 'Not checked' },
  allOk: 'Everything works.',
  problems: (problems: number) => (problems === 1 ? '1 problem found.' : `${problems} problems found.`),
  outsideNote:
    'These requests come from this computer. Your router may treat requests from outside differently: to be sure, open this address on a phone that uses mobile data.',
  relays: 'Relays',
  relaysLead: 'They read the event stream of this server, and pass it on to indexes of the network.',
  relayContact: 'Accepted the last request',
  relayNever: 'No request accepted since the start of the server',
  relayStates: { ok: 'Connected', failed: 'Failed', waiting: 'Waiting' },
  askRelays: 'Notify relays now',
  relaysAsked: 'Relays accepted the request',
  relaysRefused: 'A relay did not accept the request',
  refused: 'Refused requests',
  refusedLead: 'Since the start of the server, because of too many requests at once. Clients can retry.',
  refusedCounts: {
    lookups: (n: number) =>
      count(n, { one: 'look-up at another server', other: 'look-ups at other servers' }),
    calls: (n: number) => count(n, { one: 'call through this server', other: 'calls through this server' }),
    consumers: (n: number) =>
      count(n, { one: 'reader of the event stream', other: 'readers of the event stream' }),
  },
  refusedDetails: {
    lookups: 'Of profiles, handles and records, for clients that asked for many at once.',
    calls: 'To the app view and to services that clients name.',
    consumers:
      'Relays and other servers that could not connect, or lost their connection to a reader from another network.',
  },
  outgoing: 'What leaves this computer',
  outgoingLead: 'What the server and the app are connected with.',
  outgoingList: 'Outgoing requests',
  /** By this name links lead to the list. */
  outgoingAll: 'All reasons',
  outgoingAllCount: (reasons: number) => `All ${formatNumber(reasons)} reasons`,
  map: (names: string) => `This computer is connected with: ${names}.`,
  mapNodes: 'Connections',
  mapNone: 'Nothing leaves this computer',
  mapNoneText: 'Other machines are asked only when you or an app do something that needs them.',
  mapTargets: (target: string, others: number) =>
    others === 0 ? target : `${target} and ${formatNumber(others)} more`,
  mapFailing: 'No answer',
  mapWays: {
    thisComputer: 'Open to this computer only',
    localNetwork: 'Open to your network',
    public: 'Public',
  },
  outgoingStates: { on: 'On', off: 'Off', onDemand: 'Only when you do it' },
  purposes: {
    directory: 'Directory',
    relays: 'Relays',
    seen: 'Whether the network sees you',
    appView: 'App view',
    services: 'Services that clients name',
    upstreams: 'Servers you follow',
    friends: 'Friends on this network',
    backlinks: 'Activity index of the network',
    copies: 'Continuous copies',
    people: 'People on other servers',
    push: 'Push messages',
    mail: 'Email',
    lookUps: 'Finding other people',
    apps: 'Apps that sign in',
    moves: 'Moves of accounts',
    updates: 'Update checks',
  },
  purposeDetails: {
    directory: 'Handles, public keys and the address of this server are published for everyone.',
    relays: 'Relays are asked to read the public posts of all accounts.',
    seen: 'When you look at Seen by the network, relays and the app view are asked what they have of the accounts here.',
    appView:
      'Reading methods and mutes are forwarded, with the DID of the account. It brings no notifications.',
    services: 'Clients may have calls forwarded to services, with the DID of the account.',
    upstreams: 'Their public streams are read. They see the address of this server, not whom it watches.',
    friends:
      'With Local network chosen, devices on your network can learn the name of this computer and the handle of its owner.',
    backlinks: 'The service gets the DIDs of all accounts here, and sees whose activity is watched.',
    copies:
      'Places of copies get all data, encrypted. They see sizes and times, and the address of this computer.',
    people:
      'Profiles, pictures and missing records are read from the servers of people whose activity arrives. Those servers see who is looked up.',
    push: 'Notifications go to the push services of devices that registered for them.',
    mail: 'Codes and messages go to the mail server, with the email address of the recipient.',
    lookUps:
      'Documents and handles of other identities, and published lexicons, are looked up when a client asks for them, an account moves here, or a device registers for push messages.',
    apps: 'When an app asks to sign in by OAuth, the documents that describe it are read from its address.',
    moves: 'While an account moves, its data is read from its old server or sent to the new one.',
    updates: 'The app asks whether there is a new version. No identifier is sent.',
  },
}
