/** The file `network.json` of a data folder: the state of a network beside the disks of its servers. */

import type { NetworkSnapshot } from './network.ts'
import { checkSchema } from './worlds/check.ts'
import { formatPath } from './worlds/errors.ts'
import type { Schema } from './worlds/schema-types.ts'

/** The parts of a snapshot that are not disks, and the URLs by which the stream knows the servers. */
export interface SavedState {
  readonly urls: readonly string[]
  readonly directory: NetworkSnapshot['directory']
  readonly accounts: readonly (readonly [did: string, server: number])[]
  readonly passwords: readonly (readonly [hash: string, password: string])[]
  readonly events: NetworkSnapshot['stream']['events']
  readonly positions: readonly (readonly [origin: string, seq: number])[]
  readonly at: string
  readonly position: number
  readonly counts: readonly (readonly [kind: string, count: number])[]
}

const string = { type: 'string' } as const
const integer = { type: 'integer', minimum: 0 } as const
const listOf = (items: Schema): Schema => ({ type: 'array', items })
const pairs = listOf({ type: 'array', items: { anyOf: [string, integer] }, minItems: 2, maxItems: 2 })
const objects = (properties: Readonly<Record<string, Schema>>, required = Object.keys(properties)) =>
  listOf({ type: 'object', properties, required })

const members: Readonly<Record<keyof SavedState, Schema>> = {
  urls: { type: 'array', items: string, minItems: 1, maxItems: 9 },
  directory: objects({
    ...{ seq: integer, did: string, operation: { type: 'object' }, cid: string, createdAt: string },
    nullified: { type: 'boolean' },
  }),
  accounts: pairs,
  passwords: pairs,
  events: objects({ time: integer, did: string, json: string, collection: string }, ['time', 'did', 'json']),
  positions: pairs,
  at: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$', examples: ['2026-01-01T00:00:00.000Z'] },
  position: integer,
  counts: pairs,
}

/** Returns what is wrong with the content of the file, as the end of a sentence; undefined if nothing is. */
export function problemOf(content: unknown): string | undefined {
  const [first] = checkSchema(
    { type: 'object', properties: members, required: Object.keys(members) },
    content,
  )
  if (first) return `${formatPath(first.path)} ${first.reason}`.trim()
  return Number.isNaN(Date.parse((content as SavedState).at)) ? 'at is no time' : undefined
}

export function stateOf({ urls, directory, accounts, stream, sources }: NetworkSnapshot): SavedState {
  return {
    urls,
    directory,
    accounts: [...accounts.servers],
    passwords: [...accounts.passwords],
    events: stream.events,
    positions: [...stream.positions],
    at: sources.at.toISOString(),
    position: sources.position,
    counts: [...sources.counts],
  }
}

/** @param later the clock continues at this time, if it is later */
export function snapshotOf(
  state: SavedState,
  disks: NetworkSnapshot['disks'],
  later: Date | undefined,
): NetworkSnapshot {
  const { urls, directory, accounts, passwords, events, positions, position, counts } = state
  const at = new Date(Math.max(Date.parse(state.at), later?.getTime() ?? 0))
  return {
    ...{ urls, disks, directory },
    accounts: { servers: new Map(accounts), passwords: new Map(passwords) },
    stream: { events, positions: new Map(positions) },
    sources: { at, position, counts: new Map(counts) },
  }
}
