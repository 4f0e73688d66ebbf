/** Accounts, a scripted bridge and sample data for the tests of screens that exist only in the desktop. */
import { afterEach, beforeEach, vi } from 'vitest'
import type { LogLine, OutboxMessage, RestorePoint } from '../../../electron/ground/bridge.ts'
import type { Host } from '../../../server/operation/host.ts'
import type { Backup } from '../../../server/operation/replicas/local/list.ts'
import type { Config } from '../../../server/platform/config/config.ts'
import type { Page, View } from '../page/browser.ts'
import type { Account } from '../server/server.ts'
import { owner, setupOrdinaryWorld, world } from '../server/setup-ordinary-world.ts'
import { ScriptedDesktop } from './desktop-bridge.ts'

export { other as bob, owner as alice, third as carol } from '../server/setup-ordinary-world.ts'

/** A new bridge for each test. */
export let desktop: ScriptedDesktop

/** The desktop as the host of the server: it keeps no places, and never starts it again. */
const host: Host = {
  places: { list: () => [], save: async () => {}, setBy: undefined },
  restart: async () => {},
}

/** Registers the hooks that set the variables above. Call it at the top of a test file. @param config of the server */
export function setupScreens(config: Partial<Config> = {}): void {
  setupOrdinaryWorld({ config, options: { host }, accounts: ['alice', 'bob', 'carol'] })
  beforeEach(() => {
    desktop = new ScriptedDesktop(world.url)
    scriptBackups()
  })
  afterEach(() => void vi.restoreAllMocks())
}

/** Lets the server answer with the backups of the bridge, and make and test them without a disk. */
function scriptBackups(): void {
  const { backups: own, backupProofs } = world.server.running.services.operation
  const list = () => desktop.backups.map(stored)
  vi.spyOn(own, 'list').mockImplementation(async () => list())
  vi.spyOn(own, 'find').mockImplementation(async (id) => list().find(({ name }) => name === id))
  vi.spyOn(own, 'make').mockImplementation(async () => {
    const made = { at: new Date().toISOString(), bytes: 1_240_000, isPartial: false }
    desktop.backups = [made, ...desktop.backups]
    return stored(made)
  })
  vi.spyOn(backupProofs, 'prove').mockImplementation(async ({ name }) => record(name, undefined))
}

/** Records the result of a test of a backup, as the server does. */
export function record(name: string, problem: string | undefined) {
  const now = new Date()
  const [tested] = desktop.backups.filter(({ at }) => nameOf(at) === name)
  const provenAt = problem === undefined ? now.toISOString() : tested?.proof?.provenAt
  desktop.backups = desktop.backups.map((each) =>
    each === tested ? { ...each, proof: { provenAt, problem } } : each,
  )
  return { checkedAt: now, provenAt: provenAt ? new Date(provenAt) : undefined, problem, missing: undefined }
}

const nameOf = (at: string) => `at-${Date.parse(at)}`

function stored({ at, bytes = 0, isPartial = false, proof }: RestorePoint): Backup {
  const { provenAt, problem } = proof ?? {}
  const times = { checkedAt: new Date(), provenAt: provenAt === undefined ? undefined : new Date(provenAt) }
  return {
    ...{ name: nameOf(at), timeline: '', seq: 1, at: new Date(at), parts: [], bytes, isPartial },
    proof: proof && { ...times, problem, missing: undefined },
  }
}

/** Opens a page with sessions of accounts, by default of alice. */
export function signedIn(path = '/', view: View = {}, sessions: Account[] = [owner]): Promise<Page> {
  desktop.accounts = sessions
  return visitor(path, view)
}

export const visitor = (path = '/', view: View = {}) => world.visitor(path, view, desktop)

export const confirmation: OutboxMessage = {
  id: 'first',
  at: '2026-01-01T10:00:00.000Z',
  to: 'alice@mail.test',
  subject: 'Confirm your email address',
  text: 'Your code is AAAAA-22222.',
  code: 'AAAAA-22222',
}
export const reset: OutboxMessage = {
  id: 'second',
  at: '2026-01-02T10:00:00.000Z',
  to: 'bob@mail.test',
  subject: 'Reset your password',
  text: 'Your code is BBBBB-33333.',
  code: 'BBBBB-33333',
  failure: 'smtp.example.com timed out.',
}

/** Newest first. */
export const backups: readonly RestorePoint[] = [
  { at: '2026-01-02T03:00:00.000Z', bytes: 2_345_000, isPartial: false },
  { at: '2026-01-01T03:00:00.000Z', bytes: 1_200_000, isPartial: true },
]

export function line(number: number, level: LogLine['level'] = 'info', message = `line ${number}`): LogLine {
  return { time: new Date(Date.UTC(2026, 0, 1, 10) + number).toISOString(), level, message, fields: '' }
}
