/** Texts of what relays and the app view have of this server. */
import { count, formatNumber } from '../format.ts'

const events = (n: number) => count(n, { one: 'event', other: 'events' })
const accounts = (n: number) => count(n, { one: 'account', other: 'accounts' })

export const seen = {
  title: 'Seen by the network',
  lead: 'Shows which accounts of this server the relays and the app view have indexed.',
  look: 'Look now',
  lookAgain: 'Look again',
  looking: 'Asking. This takes up to half a minute.',
  lastHour: 'Events of the last hour',
  lastDay: 'Events of the last day',
  used: (used: number, limit: number) =>
    `${formatNumber(used)} of ${formatNumber(limit)} that relays accept from a new server.`,
  held: 'The rate limit of the relays is nearly used up. Accounts that write very much are delayed, so that the others can continue.',
  list: 'Who sees this server',
  noRelays: 'No relay is set, so indexes of the network do not find this server. Set one under Services.',
  badges: { good: 'Seen', warn: 'Partly', danger: 'Not seen' },
  relayStates: {
    upToDate: 'It has everything.',
    behind: 'It is still reading.',
    ahead:
      'It has seen later events than this server has, so it ignores new ones until their numbers are higher. This happens after data were replaced by older ones. Ask its operator to forget this server.',
    idle: 'It does not read this server at the moment, because nothing has happened for long.',
    offline: 'It could not reach this server. Check the public address, then notify it.',
    throttled: 'It has slowed down reading this server, because of many events. It goes on by itself.',
    banned: 'It refuses to read this server. Only its operator can change that.',
    unknownHost: 'It does not know this server yet. Notify it, and look again in a minute.',
    unreachable: 'It did not respond. Look again later.',
    unclear: 'It sent a response that this server cannot read.',
  },
  behind: (n: number) => `${events(n)} behind.`,
  readUntil: 'Has everything up to',
  allSeen: (n: number) => (n === 1 ? 'The account is seen.' : `All ${accounts(n)} are seen.`),
  problems: {
    behind: (names: string) => `Not up to date: ${names}.`,
    missing: (names: string) => `Not known: ${names}.`,
    inactive: (names: string) => `Counted as inactive: ${names}.`,
    unknown: (names: string) => `No response about: ${names}.`,
  },
  appView: 'App view',
  notify: 'Notify',
  notified: 'The relays were notified. Look again in a minute.',
  announce: 'Announce again',
  announced: (n: number) => `${accounts(n)} announced. Look again in a minute.`,
}
