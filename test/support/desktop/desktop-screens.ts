/** Accounts, a scripted bridge and sample data for the tests of screens that exist only in the desktop. */
import { beforeEach } from 'vitest'
import type { LogLine, OutboxMessage, RestorePoint } from '../../../electron/ground/bridge.ts'
import type { Config } from '../../../server/platform/config/config.ts'
import type { Page, View } from '../page/browser.ts'
import type { Account } from '../server/server.ts'
import { owner, setupOrdinaryWorld, world } from '../server/setup-ordinary-world.ts'
import { ScriptedDesktop } from './desktop-bridge.ts'

export { other as bob, owner as alice, third as carol } from '../server/setup-ordinary-world.ts'

/** A new bridge for each test. */
export let desktop: ScriptedDesktop

/** Registers the hooks that set the variables above. Call it at the top of a test file. @param config of the server */
export function setupScreens(config: Partial<Config> = {}): void {
  setupOrdinaryWorld({ config, accounts: ['alice', 'bob', 'carol'] })
  beforeEach(() => {
    desktop = new ScriptedDesktop(world.url)
  })
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
