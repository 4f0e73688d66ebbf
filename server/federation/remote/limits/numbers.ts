/** All limits of what other servers can make this one do. The doc comment of each names those to which it applies. */

const hourMs = 60 * 60_000

/** Of stored records. The setting `remoteLimit` has the bytes of all of them. */
export const stored = {
  /** The part of all bytes that the records of one author may take. */
  shareOfAuthor: 0.05,
  /** Bytes that count for each record beside its own: keys, indexes, links and a notification. */
  overhead: 400,
  /** So many times the reserve of the disk must be free: accounts here may use the last part. */
  freeReserves: 2,
} as const

/** Of new and changed records per hour. Records of watched authors count for the author only. */
export const records = {
  perMs: hourMs,
  /** Of one author; records that arrive silently do not count. */
  author: 300,
  /** Likes and reposts of one record. */
  subject: 1_000,
  /** From one source. */
  source: 20_000,
  /** Of the records of a subject or source, the share that new authors may use up. */
  shareOfNew: { subject: 1 / 2, source: 1 / 4 },
  /** The share of a source's remaining budget that one author may have used: the less is left, the fewer each gets. */
  shareOfAuthor: 1 / 50,
} as const

/** Of repositories that are downloaded. */
export const downloads = {
  /** Bytes per day from all hosts. */
  bytes: 2_000_000_000,
  /** The share of the day's remaining bytes that one host may take, so that some are always left for others. */
  shareOfHost: 1 / 4,
  /** Bytes per second of a host: a slower one would hold one of few places for a quarter of an hour. */
  minSpeed: 20_000,
  /** Milliseconds of a download after which it must have reached that speed. */
  graceMs: 60_000,
} as const

/** Of one upstream. One that exceeds a limit is cut off, except for `read`, which delays it. */
export const upstream = {
  /** Events per second that concern this server. */
  relevantPerSecond: 2000,
  /** Invalid events among the last ones that were examined. */
  invalid: 20,
  examined: 1000,
  /** All events: several times the rate of a relay of the whole network. */
  read: {
    events: { perSecond: 20_000, capacity: 200_000 },
    bytes: { perSecond: 100_000_000, capacity: 1_000_000_000 },
  },
  /** Milliseconds after which an event counts as replayed: a server sends replayed events as fast as it can. */
  replayedMs: 60_000,
  /** Events that are not replayed. A server that was read too slowly sends the events of `replayedMs` at once. */
  live: {
    events: { perSecond: 5000, capacity: 300_000 },
    bytes: { perSecond: 20_000_000, capacity: 1_200_000_000 },
  },
  /** Messages that are no events: a server sends one when a connection begins. */
  notices: { perSecond: 0.1, capacity: 100 },
} as const
