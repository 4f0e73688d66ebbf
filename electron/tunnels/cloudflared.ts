/**
 * The installed program `cloudflared`: it connects this machine to a named tunnel of the person, and Cloudflare passes requests for
 * its host names on. What it prints was read in its source (cmd/cloudflared/tunnel, orchestration, connection, metrics). Where a host
 * name leads is set at Cloudflare, which sends it to the program; nothing is concluded from lines of another form.
 */
import { isObject, parseJson } from '../../server/util/json.ts'
import type { ConnectorState } from '../ground/bridge.ts'
import { findProgram, type Running, startProgram } from './program.ts'

/** Only places of the own system, as in `tailscale.ts`. */
const places: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['/usr/bin/cloudflared', '/usr/local/bin/cloudflared', '/run/current-system/sw/bin/cloudflared'],
  darwin: ['/usr/local/bin/cloudflared', '/opt/homebrew/bin/cloudflared'],
  win32: [
    'C:\\Program Files (x86)\\cloudflared\\cloudflared.exe',
    'C:\\Program Files\\cloudflared\\cloudflared.exe',
  ],
}
const readyMs = 3000
/** Lines that are kept for the person. */
const maxLines = 12
const maxDetail = 1500

/** A state in which no requests arrive, with the program's own words. */
export interface Fault {
  readonly state: Extract<ConnectorState, 'tooOld' | 'rejected' | 'offline' | 'ended'>
  readonly detail: string
}

/** A run of the program. */
export interface Connection extends Running {
  /** Whether it was connected once. */
  readonly wasConnected: boolean
  /** Where a host name leads, as set at Cloudflare; undefined until that was received, null where it leads nowhere. */
  serviceOf(host: string): string | null | undefined
  /** Whether it is connected now. */
  isConnected(): Promise<boolean>
  /** Returns the fault that its output so far reports. */
  fault(): Fault
}

export interface Cloudflared {
  /** @param onChange called when the connection or what is set at Cloudflare may have changed */
  connect(token: string, onChange: () => void): Connection
}

/** Returns the driver of the installed program; undefined if there is none. */
export async function findCloudflared(): Promise<Cloudflared | undefined> {
  const path = await findProgram('cloudflared', places[process.platform] ?? [])
  return path === undefined ? undefined : { connect: (token, onChange) => connect(path, token, onChange) }
}

function connect(path: string, token: string, onChange: () => void): Connection {
  const lines: string[] = []
  let metrics: string | undefined
  let rules: readonly object[] | undefined
  let wasConnected = false

  const read = (line: string) => {
    lines.push(line)
    if (lines.length > maxLines) lines.shift()
    // The local address at which it says whether it is connected.
    metrics ??= /Starting metrics server on (127\.0\.0\.1:\d+)\/metrics/.exec(line)?.[1]
    const found = rulesOf(line)
    if (found) rules = found
    if (line.includes('Registered tunnel connection')) wasConnected = true
    onChange()
  }
  // An update of the program is up to its own installer. Port 0 is a free one.
  const args = ['tunnel', '--no-autoupdate', '--metrics', '127.0.0.1:0', '--grace-period', '2s', 'run']
  const running = startProgram(path, args, { TUNNEL_TOKEN: token }, read)
  return {
    ...running,
    get wasConnected() {
      return wasConnected
    },
    serviceOf: (host) => rules && serviceAmong(rules, host),
    async isConnected() {
      if (metrics === undefined) return false
      const answer = await fetch(`http://${metrics}/ready`, { signal: AbortSignal.timeout(readyMs) }).catch(
        () => undefined,
      )
      return answer?.ok === true
    },
    fault: () => faultOf(lines.join('\n')),
  }
}

/** The rules for host names, in a line that says that they were received. */
function rulesOf(line: string): readonly object[] | undefined {
  if (!line.includes('Updated to new configuration')) return undefined
  const quoted = /config="((?:[^"\\]|\\.)*)"/.exec(line)?.[1]
  const text = quoted === undefined ? undefined : parseJson(Buffer.from(`"${quoted}"`))
  const config = typeof text === 'string' ? parseJson(Buffer.from(text)) : undefined
  const rules = isObject(config) ? config.ingress : undefined
  return Array.isArray(rules) ? rules.filter(isObject) : undefined
}

/** The first rule that matches all requests for the host name. The last rule of all is for any host name. */
function serviceAmong(rules: readonly object[], host: string): string | null {
  const fitting = rules.find((rule) => {
    const name = isObject(rule) && typeof rule.hostname === 'string' ? rule.hostname.toLowerCase() : ''
    return name === host || (name.startsWith('*.') && host.endsWith(name.slice(1)))
  })
  if (!isObject(fitting) || typeof fitting.service !== 'string') return null
  return typeof fitting.path === 'string' && fitting.path !== ''
    ? `${fitting.service} (${fitting.path})`
    : fitting.service
}

/** Finds the reason of a failure in the program's own words. Words that are not known are only shown. */
export function faultOf(text: string): Fault {
  const says = (pattern: RegExp) => pattern.test(text)
  const detail = text.trim().slice(-maxDetail)
  if (says(/Provided Tunnel token is not valid|Unauthorized|Invalid tunnel secret/i)) {
    return { state: 'rejected', detail }
  }
  if (says(/flag provided but not defined|requires the ID or name of the tunnel/)) {
    return { state: 'tooOld', detail }
  }
  if (
    says(/no such host|network is unreachable|error looking up Cloudflare edge IPs|failed to dial to edge/i)
  ) {
    return { state: 'offline', detail }
  }
  return { state: 'ended', detail: detail || 'It ended without a word.' }
}
