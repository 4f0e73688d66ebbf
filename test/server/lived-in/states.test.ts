/** States of an account that has been used for a year: once they are lifted, everything is as before. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changesBetween, contentsOf, viewsOf } from '../../support/lived-in/contents.ts'
import { directory, lived, people, setupLivedIn } from '../../support/lived-in/lived-in.ts'
import type { Account, TestServer } from '../../support/server/server.ts'
import { server as original } from '../../support/server/setup.ts'
import { body } from '../../support/server/social.ts'

setupLivedIn()

let server: TestServer
beforeEach(async () => {
  directory.mode = 'up'
  server = await original.copy()
  await server.running.services.background.idle()
})
afterEach(() => server.close())

const views = async (viewer: Account) => viewsOf(server, people.ann.did, viewer)

/** Signs in with the second factor. */
async function signIn(): Promise<Account> {
  const [authFactorToken = ''] = lived.factors.recoveryCodes
  const { email: handle, password } = people.ann
  const session = body(await server.signIn({ handle, password }, { authFactorToken }))
  return { ...people.ann, ...session }
}

/** Tables that every change of state writes. */
const always = ['event_state', 'events']
/** Counts of calls that a restart writes to disk. */
const counted = 'session_uses'

test.each(['takedown', 'suspended'] as const)(
  '%s: once it is lifted, everything is as before',
  async (state) => {
    const { did } = people.ann
    const { store } = server.running.services
    const before = { ben: await views(people.ben), ann: await views(people.ann), rows: contentsOf(store) }
    await server.setStatus(did, { [state]: true })
    expect((await server.get('app.example.actor.getProfile', { actor: did }, people.ben)).status).toBe(400)
    await server.restart()
    await server.setStatus(did, { [state]: false })
    const rows = contentsOf(server.running.services.store)
    const ended =
      state === 'takedown'
        ? ['oauth_grants', 'oauth_requests', 'push_queue', 'push_registrations', 'refresh_tokens', 'sessions']
        : []
    expect(changesBetween(before.rows, rows)).toEqual([...always, counted, ...ended].sort())
    expect(await views(people.ben)).toEqual(before.ben)
    expect(await views(state === 'takedown' ? await signIn() : people.ann)).toEqual(before.ann)
  },
)

test('deactivated: once it is activated, everything is as before', async () => {
  const { store } = server.running.services
  const before = { ben: await views(people.ben), ann: await views(people.ann), rows: contentsOf(store) }
  body(await server.post('com.core.server.deactivateAccount', {}, people.ann))
  body(await server.post('com.core.server.activateAccount', undefined, people.ann))
  expect(changesBetween(before.rows, contentsOf(store))).toEqual(always)
  expect(await views(people.ben)).toEqual(before.ben)
  expect(await views(people.ann)).toEqual(before.ann)
})

test('a restart changes nothing', async () => {
  const before = { ben: await views(people.ben), ann: await views(people.ann) }
  const rows = contentsOf(server.running.services.store)
  await server.restart()
  expect(changesBetween(rows, contentsOf(server.running.services.store))).toEqual([counted])
  expect(await views(people.ben)).toEqual(before.ben)
  expect(await views(people.ann)).toEqual(before.ann)
})
