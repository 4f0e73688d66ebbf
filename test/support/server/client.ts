/** A small client of a server for tests that returns whole responses. */
import { methods } from '../../../server/api/index.ts'
import type { OutboxMessage } from '../../../server/platform/mail/outbox.ts'
import { protocolErrors } from '../../../server/platform/xrpc/xrpc-errors.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON; undefined when the body is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

export interface Account {
  readonly did: string
  readonly handle: string
  readonly email: string
  readonly password: string
  readonly accessJwt: string
  readonly refreshJwt: string
}

/** A session opened with an app password, and that password. */
export type AppSession = Pick<Account, 'did' | 'handle' | 'password' | 'accessJwt' | 'refreshJwt'>

type Auth = { accessJwt: string } | string | undefined

export const adminPassword = 'the admin password of tests'
export const adminAuth = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`

export abstract class ServerClient {
  /** URL of the server, without a trailing slash. */
  abstract get url(): string

  /** The messages sent to an address, newest last. */
  abstract mailsTo(email: string): Promise<OutboxMessage[]>

  /** Ends the server. */
  abstract close(): Promise<void>

  get(nsid: string, params: Record<string, string | string[]> = {}, auth?: Auth): Promise<Answer> {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(params)) {
      for (const one of [value].flat()) query.append(name, one)
    }
    const search = query.size > 0 ? `?${query}` : ''
    return this.fetch(`/xrpc/${nsid}${search}`, { headers: authorization(auth) })
  }

  /** @param input sent as JSON; nothing is sent when it is undefined */
  post(nsid: string, input?: unknown, auth?: Auth): Promise<Answer> {
    if (input === undefined)
      return this.fetch(`/xrpc/${nsid}`, { method: 'POST', headers: authorization(auth) })
    const headers = { ...authorization(auth), 'content-type': 'application/json' }
    return this.fetch(`/xrpc/${nsid}`, { method: 'POST', headers, body: JSON.stringify(input) })
  }

  async fetch(path: string, init?: RequestInit): Promise<Answer> {
    const answer = await fetch(this.url + path, init)
    const text = await answer.text()
    const body = text === '' ? undefined : JSON.parse(text)
    if (!answer.ok) assertDeclared(path, body.error)
    return { status: answer.status, headers: answer.headers, body }
  }

  /** Creates `<name>.test` with the password `<name>-password`. */
  async account(name: string, more: Record<string, unknown> = {}): Promise<Account> {
    const input = {
      handle: `${name}.test`,
      email: `${name}@mail.test`,
      password: `${name}-password`,
      ...more,
    }
    const answer = await this.post('com.core.server.createAccount', input)
    if (answer.status !== 200) throw new Error(`createAccount: ${JSON.stringify(answer.body)}`)
    return { ...input, ...answer.body }
  }

  /** Signs in with the account's handle and password. `more` is merged into the input. */
  signIn(who: { handle: string; password: string }, more: Record<string, unknown> = {}): Promise<Answer> {
    return this.post('com.core.server.createSession', {
      identifier: who.handle,
      password: who.password,
      ...more,
    })
  }

  /** Makes an app password and signs in with it. */
  async appSession(account: Account, name: string, privileged = false): Promise<AppSession> {
    const made = await this.post('com.core.server.createAppPassword', { name, privileged }, account)
    if (made.status !== 200) throw new Error(`createAppPassword: ${JSON.stringify(made.body)}`)
    const session = await this.signIn({ ...account, password: made.body.password })
    return { ...session.body, password: made.body.password }
  }

  /** Sets states of an account as the administrator: `{ takedown: true }`. */
  async setStatus(did: string, states: Partial<Record<'takedown' | 'suspended' | 'deactivated', boolean>>) {
    const changes = Object.entries(states).map(([state, applied]) => [state, { applied }])
    const subject = { $type: 'com.core.admin.defs#repoRef', did }
    const input = { subject, ...Object.fromEntries(changes) }
    const answer = await this.post('com.core.admin.updateSubjectStatus', input, adminAuth)
    if (answer.status !== 200) throw new Error(`updateSubjectStatus: ${JSON.stringify(answer.body)}`)
  }

  /** Requests a code and confirms the email address with it. */
  async confirmEmail(account: Account): Promise<void> {
    await this.post('com.core.server.requestEmailConfirmation', undefined, account)
    const input = { email: account.email, token: await this.codeTo(account.email) }
    const answer = await this.post('com.core.server.confirmEmail', input, account)
    if (answer.status !== 200) throw new Error(`confirmEmail: ${JSON.stringify(answer.body)}`)
  }

  /** The code of the newest message to an address. */
  async codeTo(email: string): Promise<string> {
    const code = (await this.mailsTo(email)).findLast((mail) => mail.code !== undefined)?.code
    if (code === undefined) throw new Error(`no code was mailed to ${email}`)
    return code
  }
}

/** Fails on errors that neither the lexicon of the method nor the protocol declares. */
function assertDeclared(path: string, error: string): void {
  const nsid = path.split('?')[0]?.replace('/xrpc/', '')
  const method = methods.find((one) => one.nsid === nsid)
  if (!method || error in protocolErrors || method.schema.errors?.includes(error)) return
  throw new Error(`The lexicon of ${nsid} does not declare ${error}`)
}

/** The shape of an error response, for `toMatchObject`. */
export function refusal(status: number, error: string, message?: string) {
  return { status, body: message === undefined ? { error } : { error, message } }
}

function authorization(auth: Auth): Record<string, string> {
  if (auth === undefined) return {}
  const value = typeof auth === 'string' ? auth : auth.accessJwt
  return { authorization: value.includes(' ') ? value : `Bearer ${value}` }
}
