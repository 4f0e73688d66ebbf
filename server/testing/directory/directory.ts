/**
 * A did:plc directory in memory, for servers of a test network. It accepts operations by the rules of did:plc (`rules.ts`), and
 * answers the paths of plc.directory (`paths.ts`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DidDocument } from '../../identity/did/did-document.ts'
import { cidOf, InvalidPlcOperation } from '../../identity/did/did-plc.ts'
import type { Logged } from '../../identity/did/plc-log.ts'
import { createSerializer } from '../../util/serialize.ts'
import { createPaths } from './paths.ts'
import { documentAfter, type EndpointOf } from './render.ts'
import { type Entry, parseSubmitted, placeOf } from './rules.ts'

export interface DirectoryOptions {
  readonly now: () => Date
  /**
   * Maps the endpoints of services when a document or state is served: operations of a network with a seed have a fixed address,
   * documents the bound port. Logs have operations as they were signed.
   */
  readonly endpointOf?: EndpointOf
}

/** All operations, in the order in which they were accepted. */
export type DirectoryState = readonly Entry[]

export interface Directory {
  /** Answers a request. @returns false for a path that is not one of a directory: nothing was sent */
  handle(req: IncomingMessage, res: ServerResponse): Promise<boolean>
  /** Adds an operation, or the one of a promise. @throws InvalidPlcOperation with the reason, also if the state is replaced meanwhile */
  submit(did: string, operation: unknown): Promise<void>
  /** Returns the document of a DID; undefined if it is not registered, or has ended. */
  resolve(did: string): DidDocument | undefined
  /** Returns the state, which later operations leave unchanged. */
  snapshot(): DirectoryState
  /** Replaces all operations. */
  restore(state: DirectoryState): void
}

export function createDirectory({ now, endpointOf = (endpoint) => endpoint }: DirectoryOptions): Directory {
  let entries: Entry[] = []
  /** The operations in force by DID, the oldest first. */
  let logs = new Map<string, readonly Entry[]>()
  const serialize = createSerializer()

  const logOf = (did: string) => logs.get(did) ?? []
  const lastOf = (did: string) => logOf(did).at(-1)?.operation

  /** Times increase strictly, so that a page of the export by time leaves none out. */
  function nextTime(): Date {
    const last = entries.at(-1)
    return new Date(Math.max(now().getTime(), last ? Date.parse(last.createdAt) + 1 : 0))
  }

  /** @param place how many operations of the log stay in force */
  function add(did: string, operation: Logged, at: Date, place: number): void {
    const log = logOf(did)
    for (const { seq } of log.slice(place)) {
      const entry = entries[seq - 1]
      if (entry) entries[seq - 1] = { ...entry, nullified: true }
    }
    const entry = {
      ...{ seq: entries.length + 1, did, operation, cid: cidOf(operation) },
      ...{ nullified: false, createdAt: at.toISOString() },
    }
    entries.push(entry)
    logs.set(did, [...log.slice(0, place), entry])
  }

  const submit = async (did: string, value: unknown) => {
    const submittedTo = entries
    const check = () => {
      if (entries !== submittedTo) throw new InvalidPlcOperation('The directory was reset meanwhile')
    }
    const operation = parseSubmitted(await value)
    await serialize(async () => {
      check()
      const at = nextTime()
      const place = await placeOf(did, logOf(did), operation, at)
      check()
      add(did, operation, at, place)
    })
  }

  return {
    submit,
    handle: createPaths({
      ...{ endpointOf, lastOf, submit },
      logOf: (did) => logOf(did).map(({ operation }) => operation),
      auditOf: (did) => entries.filter((entry) => entry.did === did),
      all: () => entries,
    }),
    resolve(did) {
      const last = lastOf(did)
      return last && documentAfter(did, last, endpointOf)
    },
    snapshot: () => [...entries],
    restore(state) {
      entries = [...state]
      const inForce = entries.filter(({ nullified }) => !nullified)
      logs = Map.groupBy(inForce, ({ did }) => did)
    },
  }
}
