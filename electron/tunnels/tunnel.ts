/**
 * Makes the server public through Tailscale, and takes that back. Changes are in the settings file before they
 * are made, so that they can be undone after a crash, too.
 */

import { shell } from 'electron'
import type { Logger } from '../../server/util/log.ts'
import { createSerializer } from '../../server/util/serialize.ts'
import { args, oneOf, text } from '../ground/arguments.ts'
import { type TunnelState, type TunnelView, tunnelPorts } from '../ground/bridge.ts'
import { type CallsOf, call } from '../ground/calls.ts'
import type { FunnelPort, TunnelRecord } from '../settings/tunnel-records.ts'
import type { Ran } from './program.ts'
import {
  isPublicBy,
  localPort,
  type PublicationDeps,
  portOf,
  publication,
  tunnelPort,
  withdraw,
} from './publication.ts'
import {
  consentPage,
  findTailscale,
  type Problem,
  problemOf,
  type Served,
  type Tailscale,
  targetOf,
} from './tailscale.ts'

/** @property url the public address that the program would give */
type Seen = Omit<Problem, 'state'> & { readonly state: TunnelState; readonly url?: string }

export interface TunnelDeps extends PublicationDeps {
  readonly log: Logger
}

export function setupTunnel(deps: TunnelDeps): CallsOf<'tunnel'> {
  const { file, log } = deps
  const serialize = createSerializer()
  /** A run of `funnel` that has not ended. */
  let pending: { readonly stop: AbortController; readonly done: Promise<void>; page?: string } | undefined
  let failure: Problem | undefined
  const warnOfBrowser = (err: unknown) => log.warn({ err }, 'browser could not be opened')

  async function view(): Promise<TunnelView> {
    const record = file.get('tunnel') ?? undefined
    const isPublic = isPublicBy(record, file)
    const kept = record && { url: urlOf(record.name, record.port), handle: record.handle }
    if (pending) return { state: 'consent', isPublic, ...kept, page: pending.page }
    const seen = await lookAt(await findTailscale(), record)
    // A run began or ended meanwhile.
    if (pending || (record === undefined) !== (file.get('tunnel') === null)) return view()
    return {
      ...(failure && seen.state === 'ready' ? { ...failure, url: seen.url } : seen),
      isPublic,
      ...kept,
    }
  }

  /** Turns Funnel on, then makes the server public. Resolves when that is done, or when the person must consent. */
  async function open(port: FunnelPort): Promise<void> {
    const tailscale = await findTailscale()
    const status = await tailscale?.status()
    if (!tailscale || status?.state !== 'ready' || pending || file.get('connector')) return
    const { name } = status
    const known = file.get('tunnel')
    const served = await tailscale.served(name, port)
    const localPort = await tunnelPort(deps)
    if (served && !isOurs(served, localPort, known ?? undefined)) return
    const change = publication(urlOf(name, port), localPort, file.get('settings'), known)
    const record = { port, name, localPort, ...change }
    file.set('tunnel', record)

    const stop = new AbortController()
    const asked = Promise.withResolvers<void>()
    const onText = (text: string) => {
      const page = consentPage(text)
      if (page === undefined || !pending || pending.page) return
      pending.page = page
      void shell.openExternal(page).catch(warnOfBrowser)
      asked.resolve()
    }
    const ran = tailscale.open(port, record.localPort, { onText, signal: stop.signal })
    const done = ran
      .then((result) => finish(tailscale, record, result, stop.signal))
      .finally(() => {
        pending = undefined
      })
    pending = { stop, done }
    await Promise.race([done, asked.promise])
    done.catch((err: unknown) => log.warn({ err }, 'tunnel could not be opened'))
  }

  /** Reads the actual configuration, whatever the program has printed. */
  async function finish(
    tailscale: Tailscale,
    record: TunnelRecord,
    ran: Ran,
    stopped: AbortSignal,
  ): Promise<void> {
    const served = await tailscale.served(record.name, record.port)
    if (served?.isPublic && !stopped.aborted) {
      const problems = await deps.settings.change(record.after)
      if (Object.keys(problems).length === 0) return log.warn({ name: record.name }, 'server is public')
      failure = { state: 'unclear', detail: Object.values(problems).join(' ') }
    } else if (!stopped.aborted) {
      const page = consentPage(`${ran.stdout}\n${ran.stderr}`)
      failure = page === undefined ? problemOf(ran) : { state: 'refused', page }
      log.warn({ status: ran.status, output: failure.detail }, 'tunnel was not opened')
    }
    await takeBack(tailscale, record)
  }

  /** Takes back the settings first: from then on the server accepts no request of the public name. */
  async function takeBack(tailscale: Tailscale | undefined, record: TunnelRecord): Promise<void> {
    await withdraw(record, deps)
    if (!tailscale) return
    const served = await tailscale.served(record.name, record.port)
    if (served?.target === targetOf(record.localPort)) {
      const ran = await tailscale.close(record.port)
      if (await tailscale.served(record.name, record.port)) {
        failure = problemOf(ran)
        return
      }
    }
    file.set('tunnel', null)
    log.info({ name: record.name }, 'tunnel was taken back')
  }

  return {
    'tunnel.view': call(args(), view),
    'tunnel.open': call(args(oneOf(...tunnelPorts)), (port) =>
      serialize(async () => {
        failure = undefined
        await open(Number(port) as FunnelPort).catch(fail)
        return view()
      }),
    ),
    'tunnel.close': call(args(), () =>
      serialize(async () => {
        failure = undefined
        const record = file.get('tunnel')
        pending?.stop.abort()
        await pending?.done.catch(() => {})
        if (record && file.get('tunnel')) await takeBack(await findTailscale(), record).catch(fail)
        return view()
      }),
    ),
    'tunnel.openPage': call(args(), async () => {
      const { page } = await view()
      if (page !== undefined) await shell.openExternal(page).catch(warnOfBrowser)
    }),
    'tunnel.keepHandle': call(args(text(500)), (handle) => {
      const [tunnel, connector] = [file.get('tunnel'), file.get('connector')]
      if (tunnel) file.set('tunnel', { ...tunnel, handle })
      if (connector) file.set('connector', { ...connector, handle })
    }),
  }

  /** Whether requests are passed on to this server, also to its ordinary port. */
  function isOurs({ target }: Served, tunnelPort: number, known?: TunnelRecord): boolean {
    const ports = [tunnelPort, localPort(deps), ...(known ? [known.localPort] : [])]
    return ports.some((port) => target === targetOf(port))
  }

  function fail(error: unknown): void {
    log.warn({ err: error }, 'tunnel failed')
    failure = { state: 'unclear', detail: (error as Error).message.slice(0, 500) }
  }

  async function lookAt(tailscale: Tailscale | undefined, record: TunnelRecord | undefined): Promise<Seen> {
    if (!tailscale) return { state: 'absent' }
    try {
      const status = await tailscale.status()
      if (status.state !== 'ready') return status
      const port = record?.port ?? 443
      const served = await tailscale.served(record?.name ?? status.name, port)
      const url = urlOf(status.name, port)
      if (record) {
        if (status.name !== record.name) return { state: 'renamed', detail: status.name }
        if (!served?.isPublic) return { state: 'closed' }
        return served.target === targetOf(portOf(record, deps)) ? { state: 'open', url } : { state: 'closed' }
      }
      return served && !isOurs(served, await tunnelPort(deps))
        ? { state: 'occupied', detail: served.target }
        : { state: 'ready', url }
    } catch (error) {
      return { state: 'unclear', detail: (error as Error).message.slice(0, 500) }
    }
  }
}

function urlOf(name: string, port: FunnelPort): string {
  return `https://${name}${port === 443 ? '' : `:${port}`}`
}
