/** An account of the demo data, and a client that calls the server's methods for it. */
import { type Agent, xrpc } from '@atproto/lex-client'
import type { LexMap } from '@atproto/lex-data'
import type { DidString, HandleString, NsidString, RecordKeyString } from '@atproto/syntax'
import { com } from '../../lexicons/generated/index.ts'

type Session = Pick<com.core.server.defs.Session, 'did' | 'accessJwt' | 'refreshJwt'>
type Ref = com.core.repo.strongRef.Main

export interface Member {
  readonly handle: HandleString
  readonly password: string
  readonly did: DidString
  /** Calls methods with the account's session. */
  readonly agent: Agent
  create(collection: NsidString, record: LexMap): Promise<Ref>
  put(collection: NsidString, rkey: RecordKeyString, record: LexMap): Promise<void>
  remove(record: Ref): Promise<void>
}

export interface Opening {
  readonly endpoint: string
  readonly now: () => Date
  /** User-Agent. */
  readonly client: string
  readonly handle: HandleString
  readonly password: string
}

export async function signUp(
  opening: Opening,
  more: { email?: string | undefined; inviteCode?: string | undefined },
): Promise<Member> {
  const { handle, password } = opening
  const { body } = await xrpc(unsigned(opening), com.core.server.createAccount, {
    body: { handle, password, ...more },
  })
  return memberWith(opening, body)
}

/** Opens another session. `password` may be an app password. */
export async function signIn(opening: Opening): Promise<Member> {
  const { handle: identifier, password } = opening
  const { body } = await xrpc(unsigned(opening), com.core.server.createSession, {
    body: { identifier, password },
  })
  return memberWith(opening, body)
}

function unsigned({ endpoint, client }: Opening, authorization?: string) {
  const headers = { 'user-agent': client, ...(authorization === undefined ? {} : { authorization }) }
  return { service: endpoint, headers }
}

/** Before access tokens expire, which is after two hours. */
const refreshAfterMs = 100 * 60_000

function memberWith(opening: Opening, session: Session): Member {
  const { endpoint, now, client, handle, password } = opening
  const { did } = session
  let tokens = session
  let refreshedAt = now().getTime()

  const agent: Agent = {
    did,
    async fetchHandler(path, init) {
      if (now().getTime() - refreshedAt > refreshAfterMs) {
        const refreshing = unsigned(opening, `Bearer ${tokens.refreshJwt}`)
        tokens = (await xrpc(refreshing, com.core.server.refreshSession)).body
        refreshedAt = now().getTime()
      }
      const headers = new Headers(init.headers)
      headers.set('user-agent', client)
      headers.set('authorization', `Bearer ${tokens.accessJwt}`)
      return fetch(endpoint + path, { ...init, headers })
    },
  }

  return {
    handle,
    password,
    did,
    agent,
    async create(collection, record) {
      const { body } = await xrpc(agent, com.core.repo.createRecord, {
        body: { repo: did, collection, record },
      })
      return { uri: body.uri, cid: body.cid }
    },
    async put(collection, rkey, record) {
      await xrpc(agent, com.core.repo.putRecord, { body: { repo: did, collection, rkey, record } })
    },
    async remove({ uri }) {
      const [collection, rkey] = uri.split('/').slice(3) as [NsidString, RecordKeyString]
      await xrpc(agent, com.core.repo.deleteRecord, { body: { repo: did, collection, rkey } })
    },
  }
}
