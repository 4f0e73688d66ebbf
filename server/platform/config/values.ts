/** The types of setting values: how each is described and parsed. */

import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DidString, UriString } from '@atproto/syntax'
import { isValidDid, isValidHandle, isValidTld } from '@atproto/syntax'
import { isEmailAddress, parseMailbox } from '../mail/address.ts'
import type { Aliases } from './aliases.ts'

export interface Kind<T> {
  /** Placeholder of the value in `--help`; absent for a switch. */
  readonly placeholder?: string
  /** The end of the error message "…; expected …". */
  readonly expected: string
  /** Parses a text; undefined if it is not of this kind. */
  readonly parse: (text: string) => T | undefined
}

export const directory: Kind<string> = {
  placeholder: 'DIR',
  expected: 'a folder',
  // Neither shells (in --data-dir=~/x) nor environment files expand this ~.
  parse: (text) => (text.includes('\0') ? undefined : resolve(text.replace(/^~(?=$|[\\/])/, homedir()))),
}

export const port: Kind<number> = {
  placeholder: 'PORT',
  expected: 'a whole number from 0 to 65535',
  parse: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined),
}

const SWITCH_WORDS = new Map([
  ...['on', 'true', 'yes', '1'].map((word) => [word, true] as const),
  ...['off', 'false', 'no', '0'].map((word) => [word, false] as const),
])

export const onOff: Kind<boolean> = {
  expected: 'on or off',
  parse: (text) => SWITCH_WORDS.get(text.toLowerCase()),
}

export const inviteRules = ['auto', 'on', 'off'] as const
export type InviteRule = (typeof inviteRules)[number]

/** A switch that decides by the other settings unless it is set. */
export const autoOnOff: Kind<InviteRule> = {
  expected: 'auto, on or off',
  parse(text) {
    if (text.toLowerCase() === 'auto') return 'auto'
    const isOn = onOff.parse(text)
    return isOn === undefined ? undefined : isOn ? 'on' : 'off'
  },
}

const MS_PER_UNIT: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** In milliseconds, at least one second. */
export const duration: Kind<number> = {
  placeholder: 'TIME',
  expected: 'a time such as 30m, 12h or 7d',
  parse(text) {
    const [, count, unit = ''] = /^([1-9]\d{0,4})([smhdw])$/.exec(text) ?? []
    const ms = MS_PER_UNIT[unit]
    return ms && Number(count) * ms
  },
}

const BYTES_PER_UNIT: Readonly<Record<string, number>> = { '': 1, B: 1, KB: 1e3, MB: 1e6, GB: 1e9 }
const MOST_BYTES = 8e9

/** In bytes. At most 8 GB: an archive has 11 octal digits for the size of a file. */
export const byteSize: Kind<number> = {
  placeholder: 'SIZE',
  expected: 'a number of bytes, or a size such as 300MB, up to 8GB',
  parse(text) {
    const [, count, unit = ''] = /^([1-9]\d{0,9}) ?([KMG]?B|)$/.exec(text.toUpperCase()) ?? []
    const bytes = Number(count) * (BYTES_PER_UNIT[unit] ?? Number.NaN)
    return bytes <= MOST_BYTES ? bytes : undefined
  },
}

const HOST_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

function parseHost(text: string): string | undefined {
  const host = text.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  const labels = host.split('.')
  // A name that ends in a number is meant as an IPv4 address (WHATWG URL): 127.1 and 300.0.0.1 are mistakes.
  const isName =
    host.length <= 253 &&
    labels.every((label) => HOST_LABEL.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  return isIP(host) || isName ? host : undefined
}

/** Events that the consumers of the stream are sent at most; infinite without a limit. */
export interface EventBudget {
  readonly hour: number
  readonly day: number
}

export const eventBudget: Kind<EventBudget> = {
  placeholder: 'HOUR/DAY',
  expected: 'two numbers such as 2500/10000, for an hour and a day, or off',
  parse(text) {
    if (text === 'off') return { hour: Number.POSITIVE_INFINITY, day: Number.POSITIVE_INFINITY }
    const [, hour, day] = /^([1-9]\d{0,7})\/([1-9]\d{0,7})$/.exec(text) ?? []
    const budget = { hour: Number(hour), day: Number(day) }
    return budget.hour <= budget.day ? budget : undefined
  },
}

export const hosts: Kind<readonly string[]> = {
  placeholder: 'HOST,…',
  expected: 'host names or IP addresses, separated by commas, without a scheme or a port',
  parse: (text) => parseList(text, parseHost),
}

export const hostsOrNone: Kind<readonly string[]> = {
  ...hosts,
  parse: (text) => (text === '' ? [] : hosts.parse(text)),
}

/** Parses `loopback`, an IP address or a CIDR range. Refuses a range of all addresses: any client could forge its own. */
function parseProxy(text: string): string | undefined {
  const proxy = text.toLowerCase()
  if (proxy === 'loopback') return proxy
  const [address = '', bits, ...rest] = proxy.split('/')
  const longest = { 4: 32, 6: 128 }[isIP(address)]
  if (longest === undefined || address.includes('%') || rest.length > 0) return undefined
  const isPrefix = bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= longest)
  return isPrefix ? proxy : undefined
}

export const proxies: Kind<readonly string[]> = {
  placeholder: 'ADDRESS,…',
  expected: 'loopback, IP addresses or ranges such as 10.0.0.0/8, separated by commas',
  parse: (text) => (text === '' ? [] : parseList(text, parseProxy)),
}

/** Parses `1.2.3.4`, `1.2.3.4:53`, `2001:db8::1` or `[2001:db8::1]:53`. */
function parseNameServer(text: string): string | undefined {
  const [, bracketed, plain, portText] = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  const isAddress = isIP(text) !== 0 || isIP(bracketed ?? plain ?? '') !== 0
  return isAddress && (portText === undefined || (Number(portText) > 0 && Number(portText) <= 65_535))
    ? text.toLowerCase()
    : undefined
}

export const nameServers: Kind<readonly string[]> = {
  placeholder: 'ADDRESS,…',
  expected: 'IP addresses, each with a port if it is not 53, separated by commas',
  parse: (text) => (text === '' ? [] : parseList(text, parseNameServer)),
}

/** Accepts a domain under which the longest label that an account may choose is a valid handle. */
function parseUserDomain(text: string): string | undefined {
  const domain = text.toLowerCase()
  const handle = `${'x'.repeat(18)}${domain}`
  return domain.startsWith('.') && isValidHandle(handle) && isValidTld(handle) ? domain : undefined
}

/** In lower case, each with its leading dot. */
export const userDomains: Kind<readonly string[]> = {
  placeholder: '.DOMAIN,…',
  expected: 'domains that handles may end in, each with a leading dot, separated by commas',
  parse: (text) => parseList(text, parseUserDomain),
}

function parseList(text: string, parseItem: (item: string) => string | undefined): string[] | undefined {
  const items = text.split(',').map((item) => parseItem(item.trim()))
  const known = items.filter((item) => item !== undefined)
  return known.length === items.length ? [...new Set(known)] : undefined
}

function parseUrl(text: string, protocols: readonly string[]): URL | undefined {
  const url = URL.parse(text)
  return url?.hostname && protocols.includes(url.protocol) ? url : undefined
}

export const did: Kind<DidString> = {
  placeholder: 'DID',
  expected: 'a DID such as did:web:api.example.com',
  parse: (text) => (isValidDid(text) ? text : undefined),
}

/** An http or https origin, in the form of `URL.origin`. */
export const origin: Kind<string> = {
  placeholder: 'URL',
  expected: 'an http or https URL without a path, such as https://pds.example.com',
  parse(text) {
    const url = parseUrl(text, ['http:', 'https:'])
    return url?.href === `${url?.origin}/` ? url?.origin : undefined
  },
}

export const originsOrNone: Kind<readonly string[]> = {
  placeholder: 'URL,…',
  expected: 'http or https URLs without a path, separated by commas',
  parse: (text) => (text === '' ? [] : parseList(text, origin.parse)),
}

/** Parses what a browser sends as `Origin` of a page: of a site, or of an extension or an app with a scheme of its own. */
function parsePageOrigin(text: string): string | undefined {
  if (/^https?:/i.test(text)) return origin.parse(text)
  const lower = text.toLowerCase()
  return /^[a-z][a-z\d+.-]{1,40}:\/\/[a-z\d.-]{1,100}(:\d{1,5})?$/.test(lower) ? lower : undefined
}

export const pageOrigins: Kind<readonly string[]> = {
  placeholder: 'ORIGIN,…',
  expected:
    'origins without a path, such as http://localhost:5173 or chrome-extension://ID, separated by commas',
  parse: (text) => (text === '' ? [] : parseList(text, parsePageOrigin)),
}

export const weeks: Kind<number> = {
  placeholder: 'WEEKS',
  expected: 'a number of weeks from 5 to 520',
  parse: (text) =>
    /^\d{1,3}$/.test(text) && Number(text) >= 5 && Number(text) <= 520 ? Number(text) : undefined,
}

const copyProtocols = ['file:', 'webdav+https:', 'webdav+http:', 's3:']

/** URLs of folders, WebDAV servers and S3-compatible storage. Passwords are not part of them. */
export const copyPlaces: Kind<readonly string[]> = {
  placeholder: 'URL,…',
  expected: 'file:, webdav+https: or s3: URLs without a password, separated by commas',
  parse: (text) => (text === '' ? [] : parseList(text, copyPlace)),
}

function copyPlace(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !copyProtocols.includes(url.protocol) || url.password) return undefined
  if ((url.protocol === 'file:') !== (url.host === '')) return undefined
  if (url.protocol === 'file:' && !isFolder(url)) return undefined
  // The root of a drive keeps its slash: `C:` alone would be the working directory on that drive.
  return url.href.replace(/(?<![:/])\/$/, '')
}

/** Whether a URL has a path of this system: Windows needs a drive letter. */
function isFolder(url: URL): boolean {
  try {
    return fileURLToPath(url) !== ''
  } catch {
    return false
  }
}

/** An http(s) URL without credentials. */
export const webUrl: Kind<UriString> = {
  placeholder: 'URL',
  expected: 'an http or https URL',
  parse(text) {
    const url = parseUrl(text, ['http:', 'https:'])
    return url && !url.username && !url.password ? (url.href as UriString) : undefined
  },
}

/** An http(s) URL to which paths are appended, without the trailing slash. */
export const baseUrl: Kind<string> = {
  placeholder: 'URL',
  expected: 'an http or https URL without a query, such as https://links.example.com',
  parse: (text) => (/[?#]/.test(text) ? undefined : webUrl.parse(text)?.replace(/\/$/, '')),
}

export const smtpUrl: Kind<string> = {
  placeholder: 'URL',
  expected: 'a URL such as smtps://user:password@mail.example.com',
  parse(text) {
    const url = parseUrl(text, ['smtp:', 'smtps:'])
    return url && hasReadableParts(url) ? url.href : undefined
  },
}

/** Whether the host is one of the network, and user and password can be decoded: a sign % is %25 in a URL. */
function hasReadableParts({ hostname, username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password)
    return !hostname.includes('%')
  } catch {
    return false
  }
}

export const emailAddress: Kind<string> = {
  placeholder: 'ADDRESS',
  expected: 'an email address',
  parse: (text) => (isEmailAddress(text) ? text : undefined),
}

export const mailbox: Kind<string> = {
  placeholder: 'ADDRESS',
  expected: 'an email address, or a name with one as in Alice <alice@example.com>',
  parse: (text) => (parseMailbox(text) ? text.trim() : undefined),
}

/** Control characters have no place in HTTP Basic credentials (RFC 7617 §2). */
export const password: Kind<string> = {
  placeholder: 'PASSWORD',
  expected: '8 to 256 characters',
  parse: (text) => (/^\P{Cc}{8,256}$/u.test(text) ? text : undefined),
}

export function oneOf<const Word extends string>(words: readonly Word[]): Kind<Word> {
  return {
    placeholder: 'WORD',
    expected: `one of ${words.join(', ')}`,
    parse: (text) => words.find((word) => word === text.toLowerCase()),
  }
}

const AUTHORITY = /^[a-z0-9-]+\.[a-z0-9-]+$/

/** `none`, or pairs of namespaces such as `com.atproto=com.core`. */
export const aliases: Kind<Aliases> = {
  placeholder: 'NAME=NAME,…',
  expected: 'pairs of namespaces such as com.atproto=com.core, separated by commas, or none',
  parse(text) {
    if (text === 'none') return new Map()
    const pairs = parseList(text, (pair) => {
      const names = pair.toLowerCase().split('=')
      return names.length === 2 && names.every((name) => AUTHORITY.test(name))
        ? pair.toLowerCase()
        : undefined
    })
    return pairs && new Map(pairs.map((pair) => pair.split('=') as [string, string]))
  },
}
