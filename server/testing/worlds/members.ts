/** The accounts of a world while it is loaded, each as a client with a session. */
import type { WorldAccount } from './schema.ts'

export interface CallOptions {
  /** JSON body. */
  readonly input?: unknown
  /** Body of another type. */
  readonly bytes?: Uint8Array
  /** Content type of `bytes`. */
  readonly type?: string
  /** Access or refresh token. */
  readonly token?: string
  /** User-Agent. */
  readonly client?: string
  /** POST if there is a body, otherwise GET by default. */
  readonly method?: 'GET' | 'POST'
}

/** What loading a world needs from the network. */
export interface WorldDeps {
  /** Calls a method of a server as a client does, and returns the output. Rejects for an error of the server. */
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own output
  call(server: number, nsid: string, options: CallOptions): Promise<any>
  /** Calls a procedure with the password of the administrator. */
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own output
  admin(server: number, nsid: string, input: unknown): Promise<any>
  now(): Date
  /** Lets time pass until then. Without it, only the records have the times of the world. */
  passUntil?(at: Date): Promise<void>
  /** Returns the code in the newest message to an address, for addresses that are confirmed. */
  code?(server: number, email: string): Promise<string>
  /** Whether pictures may be files: not for a world that another program sends. True by default. */
  readonly readsFiles?: boolean
}

export interface Tokens {
  readonly accessJwt: string
  readonly refreshJwt: string
}

export interface Member {
  readonly account: WorldAccount
  readonly did: string
  readonly handle: string
  readonly password: string
  readonly email: string | undefined
  readonly server: number
  /** App passwords by name. */
  readonly appPasswords: Map<string, string>
  displayName: string
  tokens: Tokens
  /** When it got its tokens, in milliseconds since 1970. */
  signedInAt: number
}

/** Before access tokens expire, which is after two hours. */
const refreshAfterMs = 100 * 60_000

export interface Members {
  /** The accounts so far, by name. */
  readonly all: ReadonlyMap<string, Member>
  get(name: string): Member
  find(nameOrHandle: string): Member | undefined
  signUp(account: WorldAccount, inviteCode: string | undefined): Promise<Member>
  /** Calls a method as an account. */
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own output
  call(name: string, nsid: string, options?: CallOptions): Promise<any>
  /** Gets new tokens if those of the account will expire soon. */
  refresh(member: Member): Promise<void>
}

export function createMembers(deps: WorldDeps): Members {
  const all = new Map<string, Member>()
  /** By server. */
  const domains = new Map<number, string>()

  async function domainOf(server: number): Promise<string> {
    const known = domains.get(server)
    if (known !== undefined) return known
    const { availableUserDomains } = await deps.call(server, 'com.atproto.server.describeServer', {})
    const [domain] = availableUserDomains
    domains.set(server, domain)
    return domain
  }

  function get(name: string): Member {
    const member = all.get(name)
    if (!member) throw new Error(`${name} has no account yet`)
    return member
  }

  async function refresh(member: Member): Promise<void> {
    const now = deps.now().getTime()
    if (now - member.signedInAt <= refreshAfterMs) return
    member.tokens = await deps.call(member.server, 'com.atproto.server.refreshSession', {
      ...{ method: 'POST', token: member.tokens.refreshJwt, ...clientOf(member.account) },
    })
    member.signedInAt = now
  }

  return {
    all,
    get,
    refresh,
    find(name) {
      return all.get(name) ?? [...all.values()].find(({ handle }) => handle === name.toLowerCase())
    },
    async signUp(account, inviteCode) {
      const { name, server = 0, password = `${name}-password`, email: address } = account
      const handle = account.handle ?? name + (await domainOf(server))
      const email = address === false ? undefined : (address ?? `${name}@mail.test`)
      const input = { handle, password, email, inviteCode }
      const options = { input, ...clientOf(account) }
      const session = await deps.call(server, 'com.atproto.server.createAccount', options)
      const { did, accessJwt, refreshJwt } = session
      const member = {
        ...{ account, did, handle, password, email, server, appPasswords: new Map(), displayName: '' },
        tokens: { accessJwt, refreshJwt },
        signedInAt: deps.now().getTime(),
      }
      all.set(name, member)
      return member
    },
    async call(name, nsid, options = {}) {
      const member = get(name)
      await refresh(member)
      const { accessJwt: token } = member.tokens
      return deps.call(member.server, nsid, { ...options, token, ...clientOf(member.account) })
    },
  }
}

function clientOf({ client }: WorldAccount): { client?: string } {
  return client === undefined ? {} : { client }
}
