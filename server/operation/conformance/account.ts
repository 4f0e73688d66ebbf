/** The account of the command: its session, and the collection that is its own here. */
import { randomGroups } from '../../util/random.ts'
import { systemTime } from '../../util/timers.ts'
import { outputOf } from './answers.ts'
import type { Answer, Ask } from './http.ts'
import { shared, type Target } from './target.ts'
import { expect, Failed, NoAnswer, relyOn, Skipped } from './verdict.ts'

/** Everything in it is deleted at the start and at the end. */
export const collection = 'example.desktop-pds.conformance'

export interface Session {
  readonly did: string
  readonly handle: string
  readonly accessJwt: string
  readonly refreshJwt: string
}

export interface Account extends Session {
  /** Calls a method with the access token. */
  call(nsid: string, ask?: Ask): Promise<Answer>
}

/** @throws Skipped if the command has no account, or if it cannot sign in, which is a failure of `session.create.output` alone */
export const accountOf = shared(async (target): Promise<Account> => {
  const session = await signIn(target, credentialsOf(target)).catch((error: unknown) => {
    const isRefused = error instanceof Failed && !(error instanceof NoAnswer)
    throw isRefused ? new Skipped(`the sign-in fails: ${error.message}`) : error
  })
  return {
    ...session,
    call: (nsid, ask) => target.call(nsid, { ...ask, token: session.accessJwt }),
  }
})

export function credentialsOf({ account }: Target) {
  if (!account) throw new Skipped('it needs an account: --account HANDLE:PASSWORD')
  return account
}

/** The session once the server has answered its token: otherwise it may refuse all tokens. @throws Skipped */
export const provenOf = shared(async (target): Promise<Account> => {
  const account = await accountOf(target)
  await relyOn(account.call('com.atproto.server.getSession').then(outputOf))
  return account
})

/** Opens a session, which is deleted at the end. @throws Failed */
export async function signIn(
  target: Target,
  input: { readonly identifier: string; readonly password: string },
): Promise<Session> {
  const answer = await target.call('com.atproto.server.createSession', { input, isAwaited: true })
  return openedBy(target, answer)
}

/** Returns the session of an answer. It is deleted at the end. @throws Failed */
export function openedBy(target: Target, answer: Answer): Session {
  const session = outputOf(answer)
  for (const name of ['did', 'handle', 'accessJwt', 'refreshJwt'])
    expect(typeof session[name] === 'string', `${name} of the session is ${typeof session[name]}`)
  const end = { method: 'POST', token: session.refreshJwt }
  target.defer(async () => {
    const answer = await target.call('com.atproto.server.deleteSession', end)
    // A requirement may have ended it, or the app password that has opened it.
    return [400, 401, 403].includes(answer.status) ? undefined : answer
  })
  return session
}

export interface Written {
  readonly uri: string
  readonly cid: string
  readonly rkey: string
  /** Absent on servers that do not report the commit of a write. */
  readonly commit: { readonly cid: string; readonly rev: string } | undefined
  readonly value: object
}

export interface Writer {
  readonly account: Account
  /** Calls a method of the repository with `repo` and `collection` in its input. */
  write(method: string, input?: object): Promise<Answer>
  create(value?: object, more?: object): Promise<Written>
  update(rkey: string, value?: object): Promise<Written>
  remove(rkey: string): Promise<Answer>
  /** Creates many records in one call, or some one by one on a server that refuses this. */
  fill(count: number): Promise<void>
}

/** Enough for a tree of two layers. */
const fewRecords = 10

/** Writes to the collection of this command alone. @throws as `accountOf` */
export const writerOf = shared(async (target): Promise<Writer> => {
  const account = await accountOf(target)
  await empty(account)
  target.defer(async () => {
    const left = await empty(account)
    if (left > 0) throw new Error(`the server refuses to delete ${left} records of ${collection}`)
  })
  const write = (method: string, input: object = {}) =>
    account.call(`com.atproto.repo.${method}`, { input: { repo: account.did, collection, ...input } })
  const written = async (answer: Answer, value: object): Promise<Written> => {
    const { uri, cid, commit } = outputOf(answer)
    return { uri, cid, commit, value, rkey: String(uri).split('/').at(-1) ?? '' }
  }
  return {
    account,
    write,
    create: async (value = newRecord(), more = {}) =>
      written(await write('createRecord', { record: value, ...more }), value),
    update: async (rkey, value = newRecord()) =>
      written(await write('putRecord', { rkey, record: value }), value),
    remove: (rkey) => write('deleteRecord', { rkey }),
    async fill(count) {
      const $type = 'com.atproto.repo.applyWrites#create'
      const writes = Array.from({ length: count }, () => ({ $type, collection, value: newRecord() }))
      const input = { repo: account.did, writes }
      const { status } = await account.call('com.atproto.repo.applyWrites', { input })
      if (status !== 200)
        for (let index = 0; index < fewRecords; index++) await write('createRecord', { record: newRecord() })
    },
  }
})

/** A record that no other record equals. */
export function newRecord(more: object = {}): { $type: string; text: string; createdAt: string } {
  return { $type: collection, text: randomGroups(2, 6), createdAt: systemTime().toISOString(), ...more }
}

/** Records of a page. */
const pageLength = 100
/** Pages that are deleted: a check that was killed has left a few. */
const maxPages = 50

/** Deletes the records of the collection, one by one if the server refuses to delete them together. Returns the number of those that stay. */
async function empty({ did: repo, call }: Account): Promise<number> {
  const deleted = new Set<string>()
  for (let page = 0; page < maxPages; page++) {
    const { records } = outputOf(
      await call('com.atproto.repo.listRecords', { query: { repo, collection, limit: String(pageLength) } }),
    )
    expect(records.length <= pageLength, `a page of ${pageLength} has ${records.length} records`)
    if (records.length === 0) return 0
    // A server may have accepted keys with slashes.
    const rkeys = records.map(({ uri }: { uri: string }) => uri.split('/').slice(4).join('/'))
    // The server has confirmed the deletion of some, and lists them still.
    const kept = rkeys.filter((rkey: string) => deleted.has(rkey))
    if (kept.length > 0) return kept.length
    for (const rkey of rkeys) deleted.add(rkey)
    const $type = 'com.atproto.repo.applyWrites#delete'
    const writes = rkeys.map((rkey: string) => ({ $type, collection, rkey }))
    const { status } = await call('com.atproto.repo.applyWrites', { input: { repo, writes } })
    if (status === 200) continue
    let refused = 0
    for (const rkey of rkeys) {
      const one = await call('com.atproto.repo.deleteRecord', { input: { repo, collection, rkey } })
      if (one.status !== 200) refused++
    }
    if (refused > 0) return refused
  }
  throw new Failed(`${collection} has more than ${maxPages * pageLength} records`)
}
