/** The account of the command: its session, and the collection that is its own here. */
import { randomGroups } from '../../util/random.ts'
import { systemTime } from '../../util/timers.ts'
import { outputOf } from './answers.ts'
import type { Answer, Ask } from './http.ts'
import { shared, type Target } from './target.ts'
import { Failed, Skipped } from './verdict.ts'

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
    throw error instanceof Failed ? new Skipped(`the sign-in fails: ${error.message}`) : error
  })
  target.defer(async () => {
    await target.call('com.atproto.server.deleteSession', { method: 'POST', token: session.refreshJwt })
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

/** Opens a session. @throws Failed */
export async function signIn(
  target: Target,
  input: { readonly identifier: string; readonly password: string },
): Promise<Session> {
  return outputOf(await target.call('com.atproto.server.createSession', { input }))
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
  /** Creates many records in one call. */
  fill(count: number): Promise<void>
}

/** Writes to the collection of this command alone. @throws as `accountOf` */
export const writerOf = shared(async (target): Promise<Writer> => {
  const account = await accountOf(target)
  await empty(account)
  target.defer(() => empty(account))
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
      outputOf(await account.call('com.atproto.repo.applyWrites', { input: { repo: account.did, writes } }))
    },
  }
})

/** A record that no other record equals. */
export function newRecord(more: object = {}): { $type: string; text: string; createdAt: string } {
  return { $type: collection, text: randomGroups(2, 6), createdAt: systemTime().toISOString(), ...more }
}

/** Deletes all records of the collection. */
async function empty(account: Account): Promise<void> {
  for (;;) {
    const query = { repo: account.did, collection, limit: '100' }
    const { records } = outputOf(await account.call('com.atproto.repo.listRecords', { query }))
    if (records.length === 0) return
    const writes = records.map(({ uri }: { uri: string }) => ({
      $type: 'com.atproto.repo.applyWrites#delete',
      collection,
      rkey: uri.split('/').at(-1),
    }))
    outputOf(await account.call('com.atproto.repo.applyWrites', { input: { repo: account.did, writes } }))
  }
}
