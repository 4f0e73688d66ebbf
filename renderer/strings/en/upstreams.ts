/** Texts of the Network screen about other servers whose public streams are read. */
import { count, formatClock, formatNumber } from '../format.ts'

export const upstreams = {
  title: 'Servers you follow',
  lead: 'Likes, replies, mentions and follows from people on these servers arrive here, and posts of people you follow there. Each server sees that yours reads its public stream.',
  none: 'No servers yet',
  noneText:
    'People on other servers cannot reach you until you follow their server. A friend’s computer on the same network is enough.',
  address: 'Address of a server',
  addressExample: '192.168.1.20:2583',
  addressHint:
    'A friend’s computer on your network (bobs-laptop.local:2583), a server (https://pds.example.com), or a relay.',
  addLabel: (server: string) => `Follow ${server}`,
  adding: 'Connecting to the server. This takes some seconds.',
  added: (server: string) => `Following ${server}`,
  configured: 'Set by PDS_UPSTREAMS',
  states: {
    connecting: 'Connecting',
    live: 'Live',
    catchingUp: 'Catching up',
    waiting: 'Waiting',
    cutOff: 'Cut off',
  },
  catchingUp: ({ done, total }: { done: number; total: number }) =>
    `Catching up: ${formatNumber(done)} of ${formatNumber(total)}`,
  waitingUntil: (at: string) => `Waiting until ${formatClock(at)}`,
  lastEvent: 'Last event',
  noEvent: 'No event yet',
  events: (events: number) => `${count(events, { one: 'event', other: 'events' })} in the last hour`,
  dropped: ({ lastHour, lastDay, toFetch }: Readonly<Record<'lastHour' | 'lastDay' | 'toFetch', number>>) =>
    `Events left out: ${formatNumber(lastHour)} in the last hour, ${formatNumber(lastDay)} in the last 24 hours, of which ${formatNumber(toFetch)} are fetched later`,
  kept: (records: number) => `${formatNumber(records)} kept`,
  /** Remedies for errors of connections, by their code. */
  problems: {
    ECONNREFUSED:
      'It does not accept connections. Check that the server runs there and is open to the network.',
    ECONNRESET: 'It closed the connection. Check that the server runs there.',
    EAI_AGAIN: 'Its name cannot be looked up now. Check that this computer is online.',
    EHOSTUNREACH: 'It cannot be reached. Check that both computers are on and in the same network.',
    ENETUNREACH: 'It cannot be reached. Check that this computer is online.',
    ENOTFOUND: 'There is no server of this name. Check the address.',
    ETIMEDOUT: 'It does not respond. Check the address, and that the server runs there.',
  } as Readonly<Record<string, string>>,
  retryAt: (at: string) => `Next attempt at ${formatClock(at)}.`,
  retry: 'Try now',
  retryLabel: (server: string) => `Try now: ${server}`,
  removeLabel: (server: string) => `Remove ${server}`,
  removeTitle: (server: string) => `Stop following ${server}?`,
  removeText:
    'New activity of its people no longer arrives. What has arrived stays. You can add the server again at any time.',
  removed: (server: string) => `No longer following ${server}`,
  people: 'People on servers that yours does not follow',
  peopleLead: 'You follow these people. Their posts and replies arrive once this server follows theirs.',
}

export const backlinks = {
  title: 'Activity index of the network',
  lead: 'A service that reports activity of a whole public network about the accounts here. Its operator sees which accounts those are.',
  off: 'Off',
  states: {
    connecting: 'Connecting',
    live: 'Live',
    catchingUp: 'Catching up',
    waiting: 'Waiting',
    idle: 'Idle',
  },
  offDesktop: 'Name a service under Services to turn it on.',
  offServer: 'Set PDS_BACKLINK_STREAM_URL and PDS_BACKLINK_INDEX_URL to turn it on.',
  lastLink: 'Last link',
  noLink: 'No link yet',
  links: (links: number) => `${count(links, { one: 'link', other: 'links' })} in the last hour`,
  dropped: (links: number) => `${formatNumber(links)} not read`,
  caughtUp: 'Last catch-up',
}

export const remoteRecords = {
  title: 'Records from other servers',
  lead: 'Likes, replies, follows and posts of people on other servers that are kept here.',
  used: (used: string, limit: string) => `${used} of ${limit} used`,
  none: 'Nothing is kept yet.',
  records: (records: number) => count(records, { one: 'record', other: 'records' }),
  left: (records: number) => `Deleting: ${count(records, { one: 'record', other: 'records' })} left`,
  full: 'The limit is nearly reached. The oldest records that have been read are deleted to make room for new ones. To keep more, raise PDS_REMOTE_LIMIT.',
  refusing:
    'New likes, replies and posts from other servers are refused: the limit is reached, and what is kept has not been read or is in use. Read your notifications, or raise PDS_REMOTE_LIMIT.',
  purge: 'Delete records…',
  purgeTitle: 'Delete records from other servers?',
  purgeText: [
    'Posts, likes, reposts, replies and follows of people on other servers are deleted, with the notifications that have been read. Counts become smaller.',
    'What stays: unread notifications; posts that an account here liked, reposted, quoted, saved or replied to; follows by people whom an account here follows; blocks.',
    'Most of it can be fetched again: remove a server under “Servers you follow” and add it again. It does not notify again.',
  ],
  purgeConfirm: 'Delete records',
  purging: 'Records from other servers are being deleted.',
  purged: 'Records from other servers are deleted.',
}
