/** The calls that the interface makes, by screen and by room of its source, and the page that lists them. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { everything, type Method } from '../access/model.ts'
import type { Page } from './browser.ts'

const root = join(import.meta.dirname, '../../..')

/** A call of a method by a page. */
interface Sent {
  /** Of a method that the server may not have. */
  readonly nsid: string
  /** Absent: it was answered. */
  readonly error?: string | undefined
}

export interface Calls {
  /** Those that were answered, in order. */
  readonly sent: readonly Sent[]
  /** Resolves when the page has nothing left to do, and no call is unanswered. */
  settled(): Promise<void>
}

/** Follows the calls of a page. */
export function callsOf(page: Page): Calls {
  const sent: Sent[] = []
  let started = 0
  page.on('request', (request) => {
    if (nsidIn(request.url()) !== undefined) started++
  })
  page.on('response', async (response) => {
    const nsid = nsidIn(response.url())
    if (nsid === undefined) return
    const { error } = response.ok() ? {} : await response.json()
    sent.push({ nsid, error })
  })
  const streams: string[] = []
  page.on('websocket', (socket) => streams.push(nsidIn(socket.url()) ?? socket.url()))
  return {
    get sent() {
      return [...sent, ...streams.map((nsid) => ({ nsid }))]
    },
    async settled() {
      for (let quiet = 0; quiet < idleTurns; ) {
        const before = started
        await page.evaluate('new Promise((done) => requestIdleCallback(() => setTimeout(done)))')
        quiet = started === before && sent.length === started ? quiet + 1 : 0
      }
    },
  }
}

/** An answer may lead to the next call after some turns. */
const idleTurns = 5

function nsidIn(url: string): string | undefined {
  const { pathname } = new URL(url)
  return pathname.startsWith('/xrpc/') ? pathname.slice('/xrpc/'.length) : undefined
}

/** Whether no lexicon has the method, or the answer was an error that its lexicon does not declare, as a refused session is. */
export function isRefused({ nsid, error }: Sent): boolean {
  const method = methodOf(nsid)
  return !method || (error !== undefined && !method.schema.errors?.includes(error))
}

function methodOf(nsid: string): Method | undefined {
  return everything.find((method) => method.nsid === nsid)
}

/** Returns the path patterns of all screens, from the source. */
export function screenPaths(): string[] {
  const source = readFileSync(join(root, 'renderer/shell/screens.tsx'), 'utf8')
  return [...source.matchAll(/'(\/[^']*)': \w+Screen\b/g)].map(([, path = '']) => path)
}

/** Returns the methods that the source of the interface names, by room: `screens/apps`, `parts/feed`, `api`. */
export function namedMethods(): ReadonlyMap<string, readonly string[]> {
  const rooms = new Map<string, Set<string>>()
  for (const file of sources()) {
    const room = dirname(file).split('/').slice(1, 3).join('/')
    const named = methodsIn(readFileSync(join(root, file), 'utf8'))
    if (named.length > 0) rooms.set(room, new Set([...(rooms.get(room) ?? []), ...named]))
  }
  return new Map([...rooms].map(([room, named]) => [room, [...named].sort()]))
}

/** Texts name methods that the interface does not call. */
function sources(): string[] {
  const files = globSync('renderer/**/*.{ts,tsx}', { cwd: root, exclude: ['renderer/strings'] })
  return files.sort()
}

const namespace = String.raw`\b(?:com|app|chat)\.\w+\.\w+`

/** `com.core.server.listSessions`, and `{ listSessions } = com.core.server`. */
function methodsIn(source: string): string[] {
  const whole = source.matchAll(new RegExp(String.raw`${namespace}\.(\w+)`, 'g'))
  const taken = source.matchAll(new RegExp(String.raw`\{([^{}]*)\} = (${namespace})\b(?!\.)`, 'g'))
  const names = [
    ...[...whole].map(([name]) => name),
    ...[...taken].flatMap(([, members = '', space = '']) =>
      [...members.matchAll(/(\w+)(?::\s*\w+)?/g)].map(([, member]) => `${space}.${member}`),
    ),
  ]
  return names.filter((name) => methodOf(name) !== undefined)
}

/** Names methods with who may call each: ``com.core.server`: listSessions (full)`. */
export function listed(nsids: Iterable<string>): string {
  const spaceOf = (nsid: string) => nsid.slice(0, nsid.lastIndexOf('.'))
  const spaces = Map.groupBy([...new Set(nsids)].sort(), spaceOf)
  const parts = [...spaces].map(([space, names]) => {
    const members = names.map((nsid) => `${nsid.slice(space.length + 1)} (${methodOf(nsid)?.auth})`)
    return `\`${space}\`: ${members.join(', ')}`
  })
  return parts.length > 0 ? parts.join('; ') : 'none'
}

/** Returns a table of Markdown. */
export function tableOf(...rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows
  return [head, head.map(() => '---'), ...body].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
