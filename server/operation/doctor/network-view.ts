/**
 * What relays and the app view have of this server: whether its posts are seen. Their answers are compared with the own event
 * stream and repositories, and trusted with that alone: a wrong one shows a wrong state, without any effect.
 */
import type { DidString, HandleString } from '@atproto/syntax'
import type { com } from '../../../lexicons/generated/index.ts'
import type { Config } from '../../platform/config/config.ts'
import { guardedFetch, OutboundFailed } from '../../platform/network/client.ts'
import { OutboundRefused } from '../../platform/network/guard.ts'
import type { Platform } from '../../platform/platform.ts'
import * as events from '../../repository/tables/events.ts'
import { findHead } from '../../repository/tables/repos.ts'
import type { Reader } from '../../store/database.ts'
import { statusOf } from '../../store/tables/account-status.ts'
import * as accounts from '../../store/tables/accounts.ts'
import { deadlineSignal } from '../../util/deadlines.ts'
import { isObject, parseJson } from '../../util/json.ts'
import { createLimit } from '../../util/limit.ts'
import { iso } from '../../util/time.ts'

type Relay = com.core.admin.checkRelays.Relay
type AppView = com.core.admin.checkRelays.AppView
type Account = com.core.admin.checkRelays.Account

export interface Seen {
  readonly relays: Relay[]
  readonly appView: AppView | undefined
}

interface Deps extends Pick<Platform, 'signal'> {
  readonly config: Pick<Config, 'publicUrl' | 'relays' | 'appViewUrl'>
  readonly store: Reader
}

/** Another server, asked for one response after another. */
type Ask = (method: string, params: Readonly<Record<string, string>>) => Promise<Answer>

/** Undefined status: no answer in time. */
interface Answer {
  readonly status: number | undefined
  /** Undefined if it is no object. */
  readonly body: Readonly<Record<string, unknown>> | undefined
}

const maxAccounts = 100
/** Requests to one server at a time. */
const perServer = 4
/** Milliseconds for all answers: a person waits. */
const patienceMs = 30_000

/** Asks all of them at the same time, if there is a public address. */
export async function lookAtSeen(deps: Deps): Promise<Seen> {
  const { config, store } = deps
  if (config.publicUrl === undefined) return { relays: [], appView: undefined }
  const { host } = new URL(config.publicUrl)
  const active = accounts
    .page(store, undefined, maxAccounts)
    .filter((account) => statusOf(account) === undefined)
  const deadline = AbortSignal.any([deps.signal, deadlineSignal(patienceMs)])
  const [relays, appView] = await Promise.all([
    Promise.all(config.relays.map((url) => lookAtRelay(store, url, asker(url, deadline), host, active))),
    config.appViewUrl === undefined
      ? undefined
      : lookAtAppView(config.appViewUrl, asker(config.appViewUrl, deadline), active),
  ])
  return { relays, appView }
}

function asker(url: string, signal: AbortSignal): Ask {
  const limit = createLimit({ total: perServer, perKey: perServer })
  return (method, params) =>
    limit('', async () => {
      const target = `${url}/xrpc/${method}?${new URLSearchParams(params)}`
      try {
        // Relays and the app view are settings of the owner, and may run on this machine.
        const { status, body } = await guardedFetch(target, { allowPrivate: true, signal })
        const parsed = parseJson(body)
        return { status, body: isObject(parsed) ? parsed : undefined }
      } catch (error) {
        if (!(error instanceof OutboundFailed || error instanceof OutboundRefused || signal.aborted))
          throw error
        return { status: undefined, body: undefined }
      }
    })
}

async function lookAtRelay(
  store: Reader,
  url: string,
  ask: Ask,
  host: string,
  active: readonly accounts.Account[],
): Promise<Relay> {
  const found = hostState(store, await ask('com.atproto.sync.getHostStatus', { hostname: host }))
  const isKnown = found.state !== 'unknownHost' && found.state !== 'unreachable' && found.state !== 'unclear'
  const seen = isKnown ? await Promise.all(active.map((account) => repoState(store, ask, account))) : []
  return { url: url as Relay['url'], ...found, accounts: seen }
}

const hostStates = ['idle', 'offline', 'throttled', 'banned'] as const

/** Compares the last event that a relay has with ours. */
function hostState(store: Reader, { status, body }: Answer): Omit<Relay, 'url' | 'accounts'> {
  if (status === undefined || status >= 500) return { state: 'unreachable' }
  if (status === 404 || body?.error === 'HostNotFound') return { state: 'unknownHost' }
  if (status !== 200 || !body) return { state: 'unclear' }
  const { seq } = body
  const named = hostStates.find((one) => one === body.status)
  // A relay may omit the number of the last event that it has read.
  if (!Number.isSafeInteger(seq) || (seq as number) < 0) return { state: named ?? 'unclear' }
  const { lastSeq } = events.state(store)
  if ((seq as number) > lastSeq) return { state: 'ahead' }
  const eventsBehind = lastSeq - (seq as number)
  const readAt = events.timeOf(store, seq as number)
  const readUntil = readAt === undefined ? undefined : iso(new Date(readAt))
  return { state: named ?? (eventsBehind === 0 ? 'upToDate' : 'behind'), eventsBehind, readUntil }
}

/** Compares the revision that a relay has with ours (revisions are TIDs, which sort by time). */
async function repoState(store: Reader, ask: Ask, { did, handle }: accounts.Account): Promise<Account> {
  const of = identify(did, handle)
  const { status, body } = await ask('com.atproto.sync.getRepoStatus', { did })
  if (status === 404 || body?.error === 'RepoNotFound') return { ...of, state: 'missing' }
  if (status !== 200 || !body || body.did !== did) return { ...of, state: 'unknown' }
  if (body.active === false) {
    const reason = typeof body.status === 'string' ? body.status.slice(0, 40) : undefined
    return { ...of, state: 'inactive', status: reason }
  }
  const { rev } = findHead(store, did) ?? {}
  if (typeof body.rev !== 'string' || rev === undefined || body.rev > rev) return { ...of, state: 'unknown' }
  return { ...of, state: body.rev === rev ? 'seen' : 'behind' }
}

async function lookAtAppView(url: string, ask: Ask, active: readonly accounts.Account[]): Promise<AppView> {
  const seen = active.map(async ({ did, handle }): Promise<Account> => {
    const of = identify(did, handle)
    const { status, body } = await ask('app.bsky.actor.getProfile', { actor: did })
    if (status === 200 && body?.did === did) return { ...of, state: 'seen' }
    if (status === undefined || status >= 500 || !body) return { ...of, state: 'unknown' }
    const isInactive = ['AccountDeactivated', 'AccountTakedown'].includes(String(body.error))
    return { ...of, state: isInactive ? 'inactive' : status === 200 ? 'unknown' : 'missing' }
  })
  return { url: url as AppView['url'], accounts: await Promise.all(seen) }
}

function identify(did: string, handle: string) {
  return { did: did as DidString, handle: handle as HandleString }
}
