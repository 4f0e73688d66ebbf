/** The accounts of a network for tests, created by the same call as any client makes. */
import * as rows from '../store/tables/accounts.ts'
import { call } from './call.ts'
import { NotInNetwork, ServerNotRunning } from './errors.ts'
import type { Host } from './host.ts'

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
  /** Signs in anew. @param handle as in `create` @throws NotInNetwork, ServerNotRunning */
  get(handle: string): Promise<NetworkAccount>
  /** Creates an app password and returns it. */
  appPassword(
    handle: string,
    options?: { readonly name?: string; readonly privileged?: boolean },
  ): Promise<string>
  /** All accounts that were created by `create` or a world and still exist. */
  list(): readonly ListedAccount[]
}

/** What only the network remembers of an account. */
export interface Known {
  readonly did: string
  readonly password: string
  /** Undefined for an account of a world that has none. */
  readonly email: string | undefined
  readonly server: number
}

export interface AccountsState {
  readonly known: ReadonlyMap<string, Known>
}

export interface Accounts extends NetworkAccounts {
  /** Adds an account that a world has created. */
  add(account: Known): void
  didOf(handleOrDid: string): string | undefined
  /** @throws if the network has no such account, or it has no email address */
  addressOf(handleOrDid: string): string
  snapshot(): AccountsState
  restore(state: AccountsState): void
}

export function createAccounts(hosts: () => readonly Host[]): Accounts {
  /** By DID. Passwords are not in the store, only their hashes. */
  let known = new Map<string, Known>()
  const hostOf = (index: number) => {
    const host = hosts()[index]
    if (!host) throw new NotInNetwork(`The network has no server ${index}, only ${hosts().length}.`)
    return host
  }
  const rowOf = (name: string) => {
    // An account that has moved is also on the server that it left.
    const first = known.get(name)?.server
    const all = [...hosts().entries()].toSorted(([a], [b]) => Number(b === first) - Number(a === first))
    for (const [server, host] of all) {
      if (!host.isRunning) continue
      const { store } = host.running.services
      for (const handle of [name, `${name}.${host.domain}`]) {
        const row = name.startsWith('did:') ? rows.findByDid(store, name) : rows.findByHandle(store, handle)
        if (row) return { row, server, host }
      }
    }
    return undefined
  }
  const found = (name: string) => {
    const place = rowOf(name)
    const own = known.get(place?.row.did ?? name)?.server
    const isPossible = (index: number) => index === own || (own === undefined && !place)
    const killed = hosts().findIndex((host, index) => !host.isRunning && isPossible(index))
    if (killed >= 0) throw new ServerNotRunning(killed, `No server that runs has the account ${name}.`)
    if (!place) throw new NotInNetwork(`The network has no account ${name}.`)
    return place
  }

  return {
    async create({ handle: name, server = 0, ...given }) {
      const host = hostOf(server)
      if (!host.isRunning) throw new ServerNotRunning(server)
      const [first = ''] = name.split('.')
      const handle = name.includes('.') ? name : `${name}.${host.domain}`
      const { password = `${first}-password`, email = `${first}@mail.test` } = given
      const input = { handle, email, password }
      const session = await call(host.url, 'com.atproto.server.createAccount', { input })
      known.set(session.did, { did: session.did, password, email, server })
      return shown(host, { ...session, email, password, server })
    },
    async get(name) {
      const { row, server, host } = found(name)
      const { password, email } = known.get(row.did) ?? {}
      if (password === undefined) throw new Error(`The password of ${row.handle} is unknown to the network.`)
      const input = { identifier: row.did, password }
      const session = await call(host.url, 'com.atproto.server.createSession', { input })
      return shown(host, { ...session, email: email ?? row.email ?? '', password, server })
    },
    async appPassword(name, { name: title = 'test', privileged = false } = {}) {
      const { session, service } = await this.get(name)
      const made = await call(service, 'com.atproto.server.createAppPassword', {
        input: { name: title, privileged },
        token: session.accessJwt,
      })
      return made.password
    },
    list: () =>
      [...known.values()].flatMap((account) => {
        const place = rowOf(account.did)
        return place ? [{ ...account, handle: place.row.handle, service: place.host.url }] : []
      }),
    add: (account) => void known.set(account.did, account),
    didOf: (name) => rowOf(name)?.row.did,
    addressOf(name) {
      const { email, handle } = found(name).row
      if (email === null) throw new Error(`${handle} has no email address.`)
      return email
    },
    snapshot: () => ({ known: new Map(known) }),
    restore(state) {
      known = new Map(state.known)
    },
  }
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
