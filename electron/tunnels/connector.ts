/**
 * Makes the server public through a named tunnel of Cloudflare, and takes that back. The program runs while the app does, and is
 * started again when it ends. The server becomes public only once Cloudflare has said that the host name leads to it.
 */

import { isObject, parseJson } from '../../server/util/json.ts'
import type { Logger } from '../../server/util/log.ts'
import { createSerializer } from '../../server/util/serialize.ts'
import { args, members, text } from '../ground/arguments.ts'
import type { ConnectorInput, ConnectorView, SettingProblems } from '../ground/bridge.ts'
import { type CallsOf, call } from '../ground/calls.ts'
import type { Secrets } from '../settings/secrets.ts'
import type { ConnectorRecord } from '../settings/tunnel-records.ts'
import { type Connection, type Fault, findCloudflared } from './cloudflared.ts'
import { isPublicBy, type PublicationDeps, portOf, publication, tunnelPort, withdraw } from './publication.ts'

export interface ConnectorDeps extends PublicationDeps {
  readonly secrets: Secrets
  readonly log: Logger
}

/** The first pause before the program is started again, and the longest. */
const pauseMs = { first: 1000, longest: 60_000 }

const secret = 'tunnel-token'

/** A pasted command is longer than its token. */
const isConnectorInput = members<ConnectorInput>({ host: text(500), token: text(4000) })

type Seen = Pick<ConnectorView, 'state' | 'detail'>

export function setupConnector(deps: ConnectorDeps): CallsOf<'connector'> {
  const { file, secrets, log } = deps
  const serialize = createSerializer()
  let connection: Connection | undefined
  let failure: Fault | undefined
  let again: NodeJS.Timeout | undefined
  let pause = pauseMs.first

  const record = () => file.get('connector') ?? undefined
  const isPublic = () => isPublicBy(record(), file)

  /** Starts the program, unless it runs or the token cannot be read yet. */
  async function connect(): Promise<void> {
    clearTimeout(again)
    const token = secrets.read(secret)
    const cloudflared = await findCloudflared()
    if (!record() || connection || token === null) return
    if (!cloudflared) {
      // It may be installed again.
      again = setTimeout(() => void connect().catch(warn), pauseMs.longest).unref()
      return
    }
    const started = cloudflared.connect(token, () => void publish().catch(warn))
    connection = started
    started.done.then(
      (status) => ended(started, { ...started.fault(), status }),
      (error: Error) => ended(started, { state: 'ended', detail: error.message, status: null }),
    )
  }

  /** The program has ended by itself. Before the first connection nothing is kept; afterwards it is started again. */
  function ended(former: Connection, { status, ...fault }: Fault & { readonly status: number | null }): void {
    if (connection !== former) return
    connection = undefined
    failure = fault
    log.warn({ status, state: fault.state }, 'tunnel program ended')
    if (!isPublic()) return void serialize(async () => connection || forget()).catch(warn)
    if (former.wasConnected) pause = pauseMs.first
    again = setTimeout(() => void connect().catch(warn), pause).unref()
    pause = Math.min(pause * 2, pauseMs.longest)
  }

  /** Makes the server public once requests for its name arrive. */
  async function publish(): Promise<void> {
    const current = record()
    if (!current || isPublic() || !connection?.wasConnected || !leadsHere(current)) return
    failure = undefined
    await serialize(async () => {
      // It may have been taken back, or opened with another name, meanwhile.
      if (isPublic() || record()?.host !== current.host) return
      const problems = await deps.settings.change(current.after)
      if (Object.keys(problems).length === 0) log.warn({ host: current.host }, 'server is public')
      else log.warn({ problems }, 'server could not be made public')
    })
  }

  function leadsHere(current: ConnectorRecord): boolean {
    return isHere(connection?.serviceOf(current.host), portOf(current, deps))
  }

  async function stop(): Promise<void> {
    clearTimeout(again)
    const stopped = connection
    connection = undefined
    await stopped?.stop()
  }

  /** Takes back the settings first: from then on the server accepts no request of the public name. */
  async function forget(): Promise<void> {
    const current = record()
    if (current) await withdraw(current, deps)
    await stop()
    secrets.write(secret, null)
    file.set('connector', null)
    // Who takes it back may look at once whether the token is still on disk.
    await secrets.settled()
  }

  async function look(current: ConnectorRecord): Promise<Seen> {
    if (!secrets.isLoaded(secret)) return { state: 'locked' }
    if (!connection) return failure ?? { state: (await findCloudflared()) ? 'connecting' : 'absent' }
    const { state, detail } = connection.fault()
    if (!connection.wasConnected) return state === 'ended' ? { state: 'connecting' } : { state, detail }
    if (!(await connection.isConnected())) return { state: 'offline', detail }
    const service = connection.serviceOf(current.host)
    if (service === undefined || service === null) return { state: 'noRoute' }
    return leadsHere(current) ? { state: 'open' } : { state: 'elsewhere', detail: service }
  }

  if (isPublic()) void connect().catch(warn)
  // The app ended before the first connection.
  else if (record()) void serialize(forget).catch(warn)
  secrets.onLateLoad((names) => {
    if (names.includes(secret)) void connect().catch(warn)
  })

  return {
    'connector.view': call(args(), async () => {
      const current = record()
      const target = `http://localhost:${current ? portOf(current, deps) : await tunnelPort(deps)}`
      if (!current) {
        const isThere = (await findCloudflared()) !== undefined
        return {
          ...(isThere ? (failure ?? { state: 'ready' }) : { state: 'absent' }),
          isPublic: false,
          target,
        }
      }
      const { host, handle } = current
      return { ...(await look(current)), isPublic: isPublic(), target, url: `https://${host}`, handle }
    }),
    'connector.open': call(args(isConnectorInput), (input) =>
      serialize(async () => {
        const token = tokenIn(input.token)
        const problems = problemsOf(input, token)
        if (Object.keys(problems).length > 0 || token === undefined) return problems
        if (file.get('tunnel'))
          return { host: 'The server is public through Tailscale. Take that back first.' }
        await stop()
        failure = undefined
        pause = pauseMs.first
        const host = hostOf(input.host)
        const change = publication(
          `https://${host}`,
          await tunnelPort(deps),
          file.get('settings'),
          record() ?? null,
        )
        await secrets.save(secret, token)
        file.set('connector', { host, ...change })
        await connect()
        return {}
      }),
    ),
    'connector.close': call(args(), () =>
      serialize(async () => {
        failure = undefined
        await forget()
        log.info('tunnel was taken back')
      }),
    ),
  }

  function warn(error: unknown): void {
    log.warn({ err: error }, 'tunnel failed')
  }
}

function problemsOf({ host }: ConnectorInput, token: string | undefined): SettingProblems<ConnectorInput> {
  const name = hostOf(host)
  const isName = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(name)
  const isQuick = /(^|\.)(trycloudflare\.com|cfargotunnel\.com)$/.test(name)
  return {
    ...(!isName && { host: 'This must be a host name, such as pds.example.com.' }),
    ...(isQuick && {
      host: 'The name of a quick tunnel changes at each start, but the documents of accounts keep it. Use a name of your own domain.',
    }),
    ...(token === undefined && {
      token:
        'This is not the token of a tunnel. Copy the whole command that Cloudflare shows, or the long text in it that begins with “eyJ”.',
    }),
  }
}

/** The host name, also of a pasted address. */
function hostOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^https:\/\//, '')
    .replace(/\/$/, '')
}

/** Finds the token in a pasted command. It is JSON in Base64, with an account, a tunnel and a secret. */
function tokenIn(text: string): string | undefined {
  return text.match(/eyJ[A-Za-z0-9+/]+={0,2}/g)?.find((token) => {
    const value = parseJson(Buffer.from(token, 'base64'))
    return isObject(value) && [value.a, value.t, value.s].every((part) => typeof part === 'string')
  })
}

/** Whether a service, as set at Cloudflare, is the server on this machine. */
function isHere(service: string | null | undefined, port: number): boolean {
  const url = typeof service === 'string' ? URL.parse(service) : null
  if (url?.protocol !== 'http:' || !['', '/'].includes(url.pathname)) return false
  return ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname) && Number(url.port || 80) === port
}
