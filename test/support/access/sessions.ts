/** Sessions of each kind: passwords, app passwords with each limit, apps with each family of scope. */
import { createHash } from 'node:crypto'
import { App } from '../accounts/oauth-app.ts'
import { type Account, adminAuth } from '../server/server.ts'
import { server } from '../server/setup.ts'
import type { Headers } from './client.ts'
import { uniqueName } from './model.ts'
import { succeed } from './subject.ts'

/** The services that scopes name. */
export interface Services {
  readonly appView: string
  readonly foreign: string
}

export interface Session {
  readonly account: Account
  /** Returns the headers that authenticate a call. */
  headers(verb: string, path: string): Promise<Headers>
}

type Open = (account: Account, services: Services) => Promise<Session>

const everyMethod = (service: string) => `rpc:*?aud=${encodeURIComponent(service)}`

/** The kinds, by name. Those of an app are its scopes beside `atproto`. */
export const kinds: Readonly<Record<string, Open>> = {
  none: async (account) => bearing(account, undefined),
  full: async (account) => bearing(account, `Bearer ${account.accessJwt}`),
  owner: async (account) => {
    await server.running.services.store.transact((tx) =>
      tx.run('UPDATE accounts SET is_owner = 1 WHERE did = ?', [account.did]),
    )
    return bearing(account, `Bearer ${account.accessJwt}`)
  },
  'admin password': async (account) => bearing(account, adminAuth),
  refresh: async (account) => bearing(account, `Bearer ${account.refreshJwt}`),
  takendown: async (account) => {
    await server.setStatus(account.did, { takedown: true })
    const { accessJwt } = await succeed(server.signIn(account, { allowTakendown: true }))
    return bearing(account, `Bearer ${accessJwt}`)
  },
  'app password: ordinary': appPassword({}),
  'app password: privileged': appPassword({ privileged: true }),
  'app password: readOnly': appPassword({ limit: 'readOnly' }),
  'app password: postsOnly': appPassword({ limit: 'postsOnly' }),
  'app password: noDeletion': appPassword({ limit: 'noDeletion' }),
  'app: atproto': app(() => ''),
  'app: repo:*': app(() => 'repo:*'),
  'app: rpc:* of the app view': app(({ appView }) => everyMethod(appView)),
  'app: rpc:* of another service': app(({ foreign }) => everyMethod(foreign)),
  'app: blob:*/*': app(() => 'blob:*/*'),
  'app: account:… read': app(() => 'account:email account:status account:repo'),
  'app: account:… manage': app(() => 'account:email?action=manage account:repo?action=manage'),
  'app: identity:*': app(() => 'identity:*'),
  'app: transition:generic': app(() => 'transition:generic'),
  'app: transition:generic + chat.bsky': app(() => 'transition:generic transition:chat.bsky'),
  'app: transition:generic + email': app(() => 'transition:generic transition:email'),
}

/** Opens a session of a kind for a new account. */
export async function openSession(kind: string, services: Services): Promise<Session> {
  const open = kinds[kind]
  if (!open) throw new Error(`no kind ${kind}`)
  return open(await server.account(uniqueName()), services)
}

function bearing(account: Account, authorization: string | undefined): Session {
  const headers = authorization === undefined ? {} : { authorization }
  return { account, headers: async () => headers }
}

function appPassword(options: Record<string, unknown>): Open {
  return async (account) => {
    const input = { name: 'of this session', ...options }
    const { password } = await succeed(server.post('com.core.server.createAppPassword', input, account))
    const { accessJwt } = await succeed(server.signIn({ ...account, password }))
    return bearing(account, `Bearer ${accessJwt}`)
  }
}

function app(scopeOf: (services: Services) => string): Open {
  return async (account, services) => {
    const client = await App.create(`atproto ${scopeOf(services)}`.trim())
    const { access_token: token } = await client.signIn(account)
    const ath = createHash('sha256').update(token).digest('base64url')
    return {
      account,
      headers: async (verb, path) => ({
        authorization: `DPoP ${token}`,
        dpop: (await client.proof(verb, server.url + path, { claims: { ath } })) ?? '',
      }),
    }
  }
}
