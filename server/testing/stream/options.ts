/** Which events a consumer wants: the parameters of `/subscribe` of Jetstream (version 1), and the `options_update` that it may send. */
import { isValidDid, isValidNsid } from '@atproto/syntax'
import { isObject, isString, parseJson } from '../../util/json.ts'
import type { LoggedEvent } from './event-log.ts'

/** Whether a consumer wants an event. */
export type Filter = (event: LoggedEvent) => boolean

export interface Subscription {
  readonly filter: Filter
  /** `time_us` from which events are replayed; undefined: only new events. */
  readonly cursor: number | undefined
  /** Whether nothing is sent before the first `options_update`. */
  readonly requireHello: boolean
}

/** The parameters or the message are invalid; `message` gives the reason. */
export class InvalidOptions extends Error {
  override name = 'InvalidOptions'
}

const limits = { collections: 100, dids: 10_000 }

/** @throws InvalidOptions */
export function parseQuery(query: URLSearchParams): Subscription {
  if (query.get('compress') === 'true')
    throw new InvalidOptions('compress=true is not offered here: leave it out, events are sent as JSON')
  return {
    filter: filterOf({
      wantedCollections: query.getAll('wantedCollections'),
      wantedDids: query.getAll('wantedDids'),
      maxMessageSizeBytes: Number(query.get('maxMessageSizeBytes') ?? 0),
    }),
    cursor: parseCursor(query.get('cursor') ?? ''),
    requireHello: query.get('requireHello') === 'true',
  }
}

function parseCursor(text: string): number | undefined {
  if (text === '') return undefined
  if (!/^-?\d{1,16}$/.test(text)) throw new InvalidOptions(`invalid cursor: ${text.slice(0, 50)}`)
  return Number(text)
}

/**
 * Parses a message of a client.
 * @returns the filter of an `options_update`; undefined for a message of another type, which is ignored
 * @throws InvalidOptions
 */
export function parseMessage(text: string): Filter | undefined {
  const message = parseJson(Buffer.from(text))
  if (!isObject(message)) throw new InvalidOptions('The message is not a JSON object')
  if (message.type !== 'options_update') return undefined
  const { payload } = message
  if (!isObject(payload)) throw new InvalidOptions('options_update needs a payload')
  const { wantedCollections, wantedDids, maxMessageSizeBytes = 0 } = payload
  if (typeof maxMessageSizeBytes !== 'number')
    throw new InvalidOptions('maxMessageSizeBytes must be a number')
  return filterOf({
    wantedCollections: textsOf('wantedCollections', wantedCollections),
    wantedDids: textsOf('wantedDids', wantedDids),
    maxMessageSizeBytes,
  })
}

function textsOf(name: string, value: unknown): readonly string[] {
  const list = value ?? []
  if (!Array.isArray(list) || !list.every(isString))
    throw new InvalidOptions(`${name} must be a list of texts`)
  return list
}

interface Options {
  /** Collections, and prefixes such as `app.bsky.feed.*`; all if empty. */
  readonly wantedCollections: readonly string[]
  /** All if empty. */
  readonly wantedDids: readonly string[]
  /** Bytes of JSON; 0, negative or NaN: no limit. */
  readonly maxMessageSizeBytes: number
}

function filterOf({ wantedCollections, wantedDids, maxMessageSizeBytes }: Options): Filter {
  if (wantedCollections.length > limits.collections)
    throw new InvalidOptions(`too many wanted collections: at most ${limits.collections}`)
  if (wantedDids.length > limits.dids)
    throw new InvalidOptions(`too many wanted DIDs: at most ${limits.dids}`)
  for (const did of wantedDids) if (!isValidDid(did)) throw new InvalidOptions(`invalid DID: ${did}`)
  const isPrefix = (collection: string) => collection.endsWith('.*')
  const prefixes = wantedCollections.filter(isPrefix).map((collection) => collection.slice(0, -1))
  const names = new Set(wantedCollections.filter((collection) => !isPrefix(collection)))
  for (const name of names) if (!isValidNsid(name)) throw new InvalidOptions(`invalid collection: ${name}`)
  const dids = new Set(wantedDids)

  // Events of identities and accounts have no collection, and concern every consumer.
  const wantsCollection = (collection: string | undefined) =>
    collection === undefined ||
    wantedCollections.length === 0 ||
    names.has(collection) ||
    prefixes.some((prefix) => collection.startsWith(prefix))
  return ({ did, collection, json }) =>
    wantsCollection(collection) &&
    (dids.size === 0 || dids.has(did)) &&
    !(maxMessageSizeBytes > 0 && Buffer.byteLength(json) > maxMessageSizeBytes)
}
