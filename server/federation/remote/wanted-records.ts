/**
 * Fetches records that records of accounts here refer to: posts of other servers that are replied to, quoted, liked or reposted, and the
 * latest posts of actors who are followed, and lists by which accounts here block or mute, with their items. So threads and timelines show
 * them, and lists apply, although no event reported them.
 */
import { type DidString, isValidRecordKey, type NsidString, type RecordKeyString } from '@atproto/syntax'
import type { Names } from '../../platform/config/aliases.ts'
import { collections } from '../../platform/config/nsids.ts'
import type { Platform } from '../../platform/platform.ts'
import { type LinkPath, paths } from '../../repository/format/link-paths.ts'
import type { AfterCommit, RecordEvent, RecordListener } from '../../repository/records/record-events.ts'
import type { Link } from '../../repository/tables/links.ts'
import * as records from '../../repository/tables/records.ts'
import type { Writer } from '../../store/database.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { isObject } from '../../util/json.ts'
import * as wanted from '../tables/wanted-records.ts'
import type { FetchRecord } from './fetch-record.ts'
import type { Hosts } from './hosts.ts'
import type { Intake } from './intake.ts'
import { type Identify, type Origin, withOrigin } from './repository-origin.ts'
import type { RepositorySync } from './repository-sync.ts'
import { createRetries } from './retries.ts'

export interface WantedRecords {
  /** Listens to records of accounts here. */
  readonly listener: RecordListener
  /** Has the lists of an actor read, of which an account here uses one. @returns the callback for after the commit */
  wantLists(tx: Writer, did: DidString): AfterCommit | undefined
  /** Whether a source of remote records is switched on. Otherwise nothing is fetched. */
  readonly isOn: () => boolean
  /** Continues work that is due. */
  resumeDue(): void
}

interface Deps extends Pick<Platform, 'store' | 'names' | 'background' | 'log' | 'now' | 'signal'> {
  readonly actors: { readonly identify: Identify }
  readonly hosts: Hosts
  readonly fetchRecord: FetchRecord
  readonly intake: Pick<Intake, 'apply' | 'onFeedItem'>
  readonly repositorySync: RepositorySync
  /** Whether a source of remote records is switched on. Otherwise nothing is fetched. */
  readonly isOn: () => boolean
}

/** The paths whose subjects are fetched. */
const subjectPaths: readonly LinkPath[] = [paths.like, paths.repost, paths.reply, paths.root, paths.quote]
/** The paths among them whose subjects feeds show. */
const shownPaths: readonly LinkPath[] = [paths.repost, paths.quote]
/** Records with the key of a post: who may reply to it, and who may quote it. */
const gatesOfPosts = [collections.threadgate, collections.postgate]
/** Posts that are fetched when an actor is followed. */
const latestPosts = 25
/** Milliseconds in which a host must list posts. */
const timeoutMs = 20_000

export function createWantedRecords(deps: Deps): WantedRecords {
  const { store, names, now, isOn } = deps
  const at = () => now().getTime()

  const fetches = createRetries<wanted.WantedRecord>({
    ...deps,
    name: 'fetching of a record',
    parallel: 4,
    keyOf: ({ did, collection, rkey }) => `${did}/${collection}/${rkey}`,
    due: (limit) => wanted.due(store, at(), limit),
    work: (row) => fetchWanted(deps, row),
    done: (row) => store.transact((tx) => wanted.remove(tx, row)),
    postpone: (row, delayMs) => store.transact((tx) => wanted.postpone(tx, row, at() + delayMs)),
    giveUp: (row) => store.transact((tx) => wanted.remove(tx, row)),
  })
  const resumeDue = () => {
    if (isOn()) fetches.startDue()
  }

  function want(tx: Writer, { links }: Pick<RecordEvent, 'links'>) {
    if (!isOn()) return undefined
    const found = links.map((link) => wantedOf(tx, link, names)).filter((name) => name !== undefined)
    for (const name of found) wanted.add(tx, name, at())
    return found.length > 0 ? resumeDue : undefined
  }

  // What posts and reposts of other servers show in feeds.
  deps.intake.onFeedItem((tx, { links }) =>
    want(tx, { links: links.filter(({ path }) => shownPaths.includes(path)) }),
  )

  return {
    isOn,
    wantLists(tx, did) {
      if (!isOn()) return undefined
      wanted.add(tx, listsOf(did, names), at())
      return resumeDue
    },
    listener: { recordCreated: want, recordUpdated: want, recordDeleted: () => undefined },
    resumeDue,
  }
}

/** Returns the fetch that a link causes: a post of another server that is not stored, or the latest posts of a followed actor. */
function wantedOf(tx: Writer, { path, did, record }: Link, names: Names): records.RecordName | undefined {
  if (accounts.findByDid(tx, did)) return undefined
  if (path === paths.follow)
    return { did: did as DidString, collection: names.stored(collections.post), rkey: wanted.latest }
  if (path === paths.listBlock) return listsOf(did, names)
  if (!record || !subjectPaths.includes(path)) return undefined
  if (names.own(record.collection) !== collections.post) return undefined
  const isStored = records.find(tx, did, record.collection, record.rkey) !== undefined
  return isStored ? undefined : ({ did, ...record } as records.RecordName)
}

/** The row that stands for all lists of an actor. */
function listsOf(did: string, names: Names): records.RecordName {
  return { did: did as DidString, collection: names.stored(collections.listitem), rkey: wanted.latest }
}

function fetchWanted(deps: Deps, row: wanted.WantedRecord): Promise<void> {
  if (row.rkey !== wanted.latest) return fetchOne(deps, row)
  if (deps.names.own(row.collection) !== collections.listitem) return fetchLatest(deps, row.did)
  // Items are many: they are read with their repository, and notify of nothing.
  return deps.repositorySync.sync(row.did, { isWhole: true, notifySince: deps.now().getTime() })
}

async function fetchOne(
  { fetchRecord, intake, actors, names }: Deps,
  name: records.RecordName,
): Promise<void> {
  const { did, rkey } = name
  const change = await fetchRecord(did, name.collection, rkey)
  const { host } = await actors.identify(did)
  if (!change.content) return
  const gates = names.own(name.collection) === collections.post ? gatesOfPosts : []
  const found = await Promise.all(gates.map((gate) => fetchRecord(did, names.stored(gate), rkey)))
  await intake.apply(host, [change, ...found.filter(({ content }) => content)], { notify: false })
}

async function fetchLatest(deps: Deps, did: DidString): Promise<void> {
  await withOrigin(deps.actors.identify, did, async (origin) => {
    const names = await listLatest(deps, did, origin)
    const results = await Promise.allSettled(
      // The oldest first, as events report them.
      names.reverse().map(({ collection, rkey }) => deps.fetchRecord(did, collection, rkey)),
    )
    const changes = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    await deps.intake.apply(
      origin.host,
      changes.filter(({ content }) => content),
      { notify: false },
    )
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
  })
}

/** Lists the latest posts of an actor. The list of a host proves nothing: each post is fetched with its proof. */
async function listLatest(
  { hosts, names }: Deps,
  did: DidString,
  { host }: Origin,
): Promise<records.RecordName[]> {
  const collection = names.stored(collections.post)
  const query = new URLSearchParams({ repo: did, collection, limit: String(latestPosts) }).toString()
  const page = await hosts.at(host).get('com.core.repo.listRecords', { query, timeoutMs })
  const listed = Array.isArray(page.records) ? page.records.slice(0, latestPosts) : []
  return listed.map((record) => postIn(record, did, names)).filter((name) => name !== undefined)
}

/** Returns the name of a listed record if it is a post of the actor. */
function postIn(record: unknown, did: DidString, names: Names): records.RecordName | undefined {
  const uri = isObject(record) && typeof record.uri === 'string' ? record.uri : ''
  const [authority, collection = '', rkey = '', ...rest] = uri.slice('at://'.length).split('/')
  const isPost = authority === did && collection === names.stored(collections.post) && isValidRecordKey(rkey)
  return isPost && rest.length === 0
    ? { did, collection: collection as NsidString, rkey: rkey as RecordKeyString }
    : undefined
}
