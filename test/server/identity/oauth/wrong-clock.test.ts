/** Apps stay signed in although the clock of the server is wrong for a while. */
import { beforeEach, expect, test } from 'vitest'
import { App, type Tokens } from '../../../support/accounts/oauth-app.ts'
import { day, hour } from '../../../support/server/clock.ts'
import { alice, server, setupAccounts } from '../../../support/server/setup.ts'

const years = 3 * 365 * day

setupAccounts({ config: { publicUrl: undefined } })
beforeEach(() => server.running.services.clock.check())

const works = async (app: App, tokens: Tokens) =>
  (await app.call('com.atproto.server.getSession', tokens)).status === 200

/** Moves the clock, and runs the job that notices it. */
async function advance(ms: number): Promise<void> {
  server.clock.advance(ms)
  await server.running.services.clock.check()
}

test('a grant is renewed while the clock is ahead, and afterwards', async () => {
  const app = await App.create()
  const { refresh_token } = await app.signIn(alice)
  await advance(years)
  const { body: ahead } = await app.refresh(refresh_token)
  expect(await works(app, ahead)).toBe(true)
  await advance(-years)
  const { body: renewed } = await app.refresh(ahead.refresh_token)
  expect(await works(app, renewed)).toBe(true)
})

test('an access token that was issued while the clock was ahead has ended when the clock is right', async () => {
  const app = await App.create()
  const { refresh_token } = await app.signIn(alice)
  await advance(years)
  const { body: ahead } = await app.refresh(refresh_token)
  await advance(-years)
  expect(await works(app, ahead)).toBe(false)
})

test('a grant that was given while the clock was behind lives on', async () => {
  const app = await App.create()
  await advance(-years)
  const { refresh_token } = await app.signIn(alice)
  await advance(years + hour)
  expect((await app.refresh(refresh_token)).status).toBe(200)
})
