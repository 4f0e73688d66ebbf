/**
 * The installed program `tailscale`: its state on this machine, and Funnel, which passes requests from the internet on to this
 * server. Its output was read in its source (cmd/tailscale/cli, ipn/ipnstate, ipn/serve.go). Output of another form is shown as it
 * is, and nothing is concluded from it.
 */
import { isObject, parseJson } from '../../server/util/json.ts'
import type { TunnelState } from '../ground/bridge.ts'
import type { FunnelPort } from '../settings/tunnel-records.ts'
import { isNewer } from '../system/update-check.ts'
import { findProgram, type Ran, type RunOptions, runProgram } from './program.ts'

/** Before it, `funnel` had other arguments. */
const firstVersion = '1.52.0'

/**
 * Where its installers put it. Only places of the own system: on Windows each user can create `\usr\bin` on the disk, and a program
 * in it.
 */
const places: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['/usr/bin/tailscale', '/usr/local/bin/tailscale', '/run/current-system/sw/bin/tailscale'],
  darwin: [
    '/usr/local/bin/tailscale',
    '/opt/homebrew/bin/tailscale',
    '/Applications/Tailscale.app/Contents/MacOS/Tailscale',
  ],
  win32: ['C:\\Program Files\\Tailscale\\tailscale.exe'],
}

const readMs = 15_000

/** The person has this time for the consent page. */
const consentMs = 10 * 60_000

const maxDetail = 500

/** A state in which Funnel cannot be used, with a page that helps and the program's own words. */
export interface Problem {
  readonly state: Exclude<TunnelState, 'ready' | 'open'>
  readonly page?: string
  readonly detail?: string
}

/** @property name of this machine, without a dot at the end */
export type Status = Problem | { readonly state: 'ready'; readonly name: string }

/** What Funnel answers with at a port; undefined where nothing is configured. */
export interface Served {
  /** URL to which requests are passed on; empty for anything else. */
  readonly target: string
  /** Whether the internet may connect, not just the person's own machines. */
  readonly isPublic: boolean
}

export interface Tailscale {
  status(): Promise<Status>
  /** @throws for output that cannot be read */
  served(name: string, port: FunnelPort): Promise<Served | undefined>
  /** Turns Funnel on. `onText` gets its output while it waits for the person's consent. */
  open(port: FunnelPort, localPort: number, options: Pick<RunOptions, 'onText' | 'signal'>): Promise<Ran>
  close(port: FunnelPort): Promise<Ran>
}

/** Returns the driver of the installed program; undefined if there is none. */
export async function findTailscale(): Promise<Tailscale | undefined> {
  const path = await findProgram('tailscale', places[process.platform] ?? [])
  if (path === undefined) return undefined
  const run = (args: readonly string[], options: Partial<RunOptions> = {}) =>
    runProgram(path, args, { timeoutMs: readMs, ...options })
  return {
    async status() {
      return statusOf(await run(['status', '--json', '--peers=false']))
    },
    async served(name, port) {
      return servedAt(await run(['serve', 'status', '--json']), name, port)
    },
    open: (port, localPort, options) =>
      run(['funnel', '--bg', `--https=${port}`, targetOf(localPort)], { ...options, timeoutMs: consentMs }),
    close: (port) => run(['funnel', `--https=${port}`, 'off']),
  }
}

/** The URL to which Funnel passes requests on. */
export function targetOf(localPort: number): string {
  return `http://127.0.0.1:${localPort}`
}

/** Reads `tailscale status --json`. */
export function statusOf(ran: Ran): Status {
  const status = parseJson(Buffer.from(ran.stdout))
  if (!isObject(status) || typeof status.BackendState !== 'string') return problemOf(ran)
  const { BackendState: state, Self: self, AuthURL: page } = status
  if (!isNewEnough(status.Version)) return { state: 'tooOld', detail: String(status.Version).slice(0, 40) }
  if (state === 'NeedsLogin' || state === 'NoState') {
    return { state: 'signedOut', ...(isTheirPage(page) && { page }) }
  }
  if (state === 'NeedsMachineAuth') return { state: 'notApproved', page: adminPage('machines') }
  if (state === 'Stopped') return { state: 'disconnected' }
  if (state === 'Starting') return { state: 'offline' }
  if (state !== 'Running' || !isObject(self)) return { state: 'unclear', detail: state.slice(0, maxDetail) }
  if (self.Online === false) return { state: 'offline' }
  const name = typeof self.DNSName === 'string' ? self.DNSName.replace(/\.$/, '').toLowerCase() : ''
  return name.includes('.') ? { state: 'ready', name } : { state: 'noName', page: adminPage('dns') }
}

/** Reads `tailscale serve status --json`, which prints `null` or `{}` without a configuration. */
export function servedAt(ran: Ran, name: string, port: number): Served | undefined {
  const config = parseJson(Buffer.from(ran.stdout))
  if (ran.status !== 0 || (config !== null && !isObject(config))) {
    throw new Error(problemOf(ran).detail ?? 'Tailscale does not say what it passes on')
  }
  const at = `${name}:${port}`
  const part = (of: unknown, key: string) => (isObject(of) ? of[key] : undefined)
  const tcp = part(part(config, 'TCP'), String(port))
  if (tcp === undefined) return undefined
  const handlers = part(part(part(config, 'Web'), at), 'Handlers')
  const target = part(part(handlers, '/'), 'Proxy')
  return {
    target: typeof target === 'string' ? target : '',
    isPublic: part(part(config, 'AllowFunnel'), at) === true,
  }
}

/** Finds the reason of a failure in the program's own words. Words that are not known are only shown. */
export function problemOf({ status, stdout, stderr }: Ran): Problem {
  const text = `${stderr}\n${stdout}`.trim()
  const detail = text.slice(0, maxDetail)
  const says = (pattern: RegExp) => pattern.test(text)
  if (says(/failed to connect to local/i)) return { state: 'notRunning', detail }
  if (says(/access denied|--operator=/i)) return { state: 'notPermitted', detail }
  if (says(/HTTPS must be enabled/)) return { state: 'httpsOff', page: adminPage('dns'), detail }
  if (says(/node attribute not set|not allowed for funnel/)) {
    return { state: 'notAllowed', page: adminPage('acls/file'), detail }
  }
  if (says(/already serving|already exists under this port|configuration already exists/)) {
    return { state: 'occupied', detail }
  }
  if (says(/CLI for serve and funnel has changed|flag provided but not defined/)) {
    return { state: 'tooOld', detail }
  }
  return {
    state: 'unclear',
    detail: detail || `It ended ${status === null ? 'by a signal' : `with ${status}`}.`,
  }
}

/** Returns the page on which the person is asked to consent, if the text names one of Tailscale's own. */
export function consentPage(text: string): string | undefined {
  return text.match(/https:\/\/[^\s"'<>]+/g)?.find(isTheirPage)
}

/** Pages that a program prints are opened only if they are of its maker. */
function isTheirPage(page: unknown): page is string {
  return typeof page === 'string' && URL.parse(page)?.origin === 'https://login.tailscale.com'
}

const adminPage = (path: string) => `https://login.tailscale.com/admin/${path}`

function isNewEnough(version: unknown): boolean {
  const [found] = /^\d+\.\d+\.\d+/.exec(String(version)) ?? []
  return found === undefined || !isNewer(firstVersion, found)
}
