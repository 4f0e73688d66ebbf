/** One server for a test file, and accounts that its tests share. */
import { afterAll, beforeAll } from 'vitest'
import { type Account, TestServer } from './server.ts'

export let server: TestServer
/** The first account, which owns the server. */
export let owner: Account
/** The second account. */
export let other: Account

/** Registers the hooks that set the variables above. Call it at the top of a test file or a `describe`. */
export function setupServer(ownerName: string, otherName?: string): void {
  beforeAll(async () => {
    server = await TestServer.start()
    owner = await server.account(ownerName)
    if (otherName !== undefined) other = await server.account(otherName)
  })
  afterAll(() => server.close())
}
