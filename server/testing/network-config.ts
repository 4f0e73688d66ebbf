/** The settings of the servers of a network for tests. */
import { type Config, defaultConfig } from '../platform/config/config.ts'

/** Settings that a network decides, and what to do instead. */
const decided = {
  dataDir: 'the data are in memory',
  port: 'use the option port',
  hosts: 'servers listen on this computer alone',
  proxyPort: 'each server has one port, for faults and requests',
  plcUrl: 'the network has its own directory',
  logLevel: 'servers of a network log nothing',
} as const satisfies Partial<Record<keyof Config, string>>

/** The settings that a test may choose. */
export type NetworkConfig = Partial<Omit<Config, keyof typeof decided>>

/** @throws TypeError for a setting that has no effect, or a value of another type than its default */
export function checkNetworkConfig(config: NetworkConfig): void {
  if (typeof config !== 'object' || config === null) throw new TypeError('config must be an object.')
  for (const [name, reason] of Object.entries(decided))
    if (Object.hasOwn(config, name)) throw new TypeError(`config.${name} has no effect: ${reason}.`)
  const defaults: Readonly<Record<string, unknown>> = defaultConfig({ dataDir: '' })
  for (const [name, value] of Object.entries(config)) {
    if (!Object.hasOwn(defaults, name)) throw new TypeError(`config.${name} is no setting of a server.`)
    const expected = typeOf(defaults[name])
    if (expected !== 'undefined' && typeOf(value) !== expected)
      throw new TypeError(`config.${name} must be of the type ${expected}, not ${typeOf(value)}.`)
  }
  for (const url of config.upstreams ?? [])
    if (!isOrigin(url))
      throw new TypeError(`config.upstreams must have origins such as http://localhost:2583, not ${url}.`)
}

function isOrigin(url: string): boolean {
  return /^https?:/.test(url) && URL.canParse(url) && new URL(url).origin === url
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}
