/** The accounts of a network for tests, created by the same call as any client makes. */
import { isValidHandle } from '@atproto/syntax'
import * as rows from '../store/tables/accounts.ts'
import { call, withMailedCode } from './call.ts'
import { checkMembers, NotInNetwork, ServerNotRunning, serverAt } from './errors.ts'
import type { Host } from './host.ts'
import { codeTo } from './messages.ts'
import type { LearntPasswords } from './passwords.ts'

export interface NewNetworkAccount {
  /** A name such as `alice`, which becomes `alice.test`, or a whole handle. */
  readonly handle: string
  /** `<name>-password` by default. */
  readonly password?: string
  /** `<name>@mail.test` by default. */
  readonly email?: string
  /** Position of its server; 0 by default. */
  readonly server?: number
}

/** An account with everything that a client needs. */
export interface NetworkAccount {
  readonly did: string
  readonly handle: string
  readonly email: string
  readonly password: string
  /** Position of its server. */
  readonly server: number
  /** URL of its server: `new AtpAgent({ service })`. */
  readonly service: string
  /** For `agent.login`. */
  readonly login: { readonly identifier: string; readonly password: string }
  /** A session of its own, for `agent.resumeSession`. */
  readonly session: {
    readonly did: string
    readonly handle: string
    readonly accessJwt: string
    readonly refreshJwt: string
    readonly active: true
  }
}

/** An account without a session. */
export type ListedAccount = Pick<NetworkAccount, 'did' | 'handle' | 'password' | 'server' | 'service'> & {
  readonly email: string | undefined
}

export interface NetworkAccounts {
  /** @throws NetworkCallFailed with the error of the server, for example for a handle that is taken; ServerNotRunning */
  create(account: NewNetworkAccount): Promise<NetworkAccount>
  /** Signs in anew, with the mailed code if it needs one. @param handle as in `create` @throws NotInNetwork, ServerNotRunning */
  get(handle: string): Promise<NetworkAccount>
  /** Creates an app password and returns it. */
  appPassword(
    handle: string,
    options?: { readonly name?: string; readonly privileged?: boolean },
  ): Promise<string>
  /** All accounts that were created by `create` or a world and still exist. */
  list(): readonly ListedAccount[]
}

export interface AccountsState {
  /** Positions of their servers, by DID. */
  readonly servers: ReadonlyMap<string, number>
  /** Passwords by hash. */
  readonly passwords: ReadonlyMap<string, string>
}

export interface Accounts extends NetworkAccounts {
  /** Adds an account that a world has created, or that has moved. */
  add(account: { readonly did: string; readonly server: number }): void
  didOf(handleOrDid: string): string | undefined
  /** @throws if the network has no such account, or it has no email address */
  addressOf(handleOrDid: string): string
  snapshot(): AccountsState
  restore(state: AccountsState): void
}

export function createAccounts(
  hosts: () => readonly Host[],
  passwords: Pick<LearntPasswords, 'find' | 'snapshot' | 'restore'>,
): Accounts {
  /** Positions by DID. */
  let servers = new Map<string, number>()
  const rowOf = (named: string) => {
    const name = checkName(named)
    // An account that has moved is also on the server that it left.
    const first = servers.get(name)
    const all = [...hosts().entries()].toSorted(([a], [b]) => Number(b === first) - Number(a === first))
    for (const [server, host] of all) {
      if (!host.isRunning) continue
      const { store } = host.running.services
      const handle = name.toLowerCase()
      for (const each of [handle, `${handle}.${host.domain}`]) {
        const row = name.startsWith('did:') ? rows.findByDid(store, name) : rows.findByHandle(store, each)
        if (row) return { row, server, host }
      }
    }
    return undefined
  }
  const found = (name: string) => {
    const place = rowOf(name)
    const own = servers.get(place?.row.did ?? name)
    const isPossible = (index: number) => index === own || (own === undefined && !place)
    const killed = hosts().findIndex((host, index) => !host.isRunning && isPossible(index))
    if (killed >= 0) throw new ServerNotRunning(killed, `No server that runs has the account ${name}.`)
    if (!place) throw new NotInNetwork(`The network has no account ${name}.`)
    return place
  }

  const passwordOf = ({ passwordHash }: rows.Account) =>
    passwordHash === null ? undefined : passwords.find(passwordHash)

  async function get(name: string): Promise<NetworkAccount> {
    const { row, server, host } = found(name)
    const password = passwordOf(row)
    if (password === undefined) throw new Error(`The password of ${row.handle} is unknown to the network.`)
    const input = { identifier: row.did, password }
    const signIn = (factor: object) =>
      call(host.url, 'com.atproto.server.createSession', { input: { ...input, ...factor } })
    const email = row.email ?? ''
    // The code of another second factor is unknown here.
    const session = await (row.emailAuthFactor === 1
      ? withMailedCode(signIn, () => codeTo(host, email))
      : signIn({}))
    return shown(host, { ...session, email, password, server })
  }

  return {
    get,
    async create(account) {
      checkMembers('a new account', account, newAccountNames)
      const { server = 0, ...given } = account
      const name = checkName(account.handle)
      const host = serverAt(hosts(), server)
      if (!host.isRunning) throw new ServerNotRunning(server)
      const [first = ''] = name.split('.')
      const handle = name.includes('.') ? name : `${name}.${host.domain}`
      if (!isValidHandle(handle))
        throw new TypeError(
          `${JSON.stringify(name)} is no handle: letters, digits, hyphens and dots, such as "alice".`,
        )
      const { password = `${first}-password`, email = `${first}@mail.test` } = given
      const input = { handle, email, password }
      const session = await call(host.url, 'com.atproto.server.createAccount', { input })
      servers.set(session.did, server)
      return shown(host, { ...session, email, password, server })
    },
    async appPassword(name, { name: title = 'test', privileged = false } = {}) {
      const { session, service } = await get(name)
      const made = await call(service, 'com.atproto.server.createAppPassword', {
        input: { name: title, privileged },
        token: session.accessJwt,
      })
      return made.password
    },
    list: () =>
      [...servers].flatMap(([did, server]) => {
        const place = rowOf(did)
        if (!place) return []
        const { row, host } = place
        const { handle, email } = row
        const password = passwordOf(row) ?? ''
        return [{ did, handle, email: email ?? undefined, password, server, service: host.url }]
      }),
    add: ({ did, server }) => void servers.set(did, server),
    didOf: (name) => rowOf(name)?.row.did,
    addressOf(name) {
      const { email, handle } = found(name).row
      if (email === null) throw new Error(`${handle} has no email address.`)
      return email
    },
    snapshot: () => ({ servers: new Map(servers), passwords: passwords.snapshot() }),
    restore(state) {
      servers = new Map(state.servers)
      passwords.restore(state.passwords)
    },
  }
}

const newAccountNames: readonly (keyof NewNetworkAccount)[] = ['handle', 'password', 'email', 'server']

/** Returns a handle in lower case, or a DID. @throws TypeError */
function checkName(name: string): string {
  if (typeof name !== 'string' || name === '')
    throw new TypeError('An account must be named by its handle or DID, such as "alice".')
  return name.startsWith('did:') ? name : name.toLowerCase()
}

interface Opened {
  readonly did: string
  readonly handle: string
  readonly accessJwt: string
  readonly refreshJwt: string
  readonly email: string
  readonly password: string
  readonly server: number
}

function shown(
  host: Host,
  { did, handle, accessJwt, refreshJwt, email, password, server }: Opened,
): NetworkAccount {
  return {
    ...{ did, handle, email, password, server, service: host.url },
    login: { identifier: handle, password },
    session: { did, handle, accessJwt, refreshJwt, active: true },
  }
}
