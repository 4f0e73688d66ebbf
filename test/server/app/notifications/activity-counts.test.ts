import { expect, test } from 'vitest'
import { hour, minute } from '../../../support/server/clock.ts'
import { repeatNotification } from '../../../support/server/many-notifications.ts'
import { refusal } from '../../../support/server/server.ts'
import { alice, bob, carol, server, setupAccounts, social } from '../../../support/server/setup.ts'
import { body } from '../../../support/server/social.ts'

setupAccounts()

const iso = (ms: number) => new Date(ms).toISOString()

const counts = (starts: string[], account = alice) =>
  server.get('com.core.notification.getActivityCounts', { starts }, account)

/** Returns the counts of each period as an object by reason. */
async function countsOf(starts: string[]): Promise<object[]> {
  const { periods } = body(await counts(starts)) as {
    periods: { start: string; counts: { reason: string; count: number }[] }[]
  }
  expect(periods.map(({ start }) => start)).toEqual(starts)
  return periods.map((one) => Object.fromEntries(one.counts.map(({ reason, count }) => [reason, count])))
}

test('notifications are counted by period and reason, in one request', async () => {
  const post = await social.post(alice)
  const begin = server.clock.now().getTime()
  await social.like(bob, post)
  await social.reply(carol, post)
  await server.elapse(hour)
  const second = server.clock.now().getTime()
  await social.like(carol, post)
  await social.follow(alice, bob)
  await social.reply(bob, post)
  await social.reply(bob, post)
  expect(await countsOf([begin, second, second + hour].map(iso))).toEqual([
    { like: 1, reply: 1 },
    { like: 1, reply: 2 },
    {},
  ])
  // What arrived before the first start is left out.
  expect(await countsOf([iso(second)])).toEqual([{ like: 1, reply: 2 }])
  expect(await countsOf([iso(second + hour)])).toEqual([{}])
})

test('periods are as long as the caller says, as days are when clocks are changed', async () => {
  const begin = server.clock.now().getTime()
  await server.elapse(55 * minute)
  await social.follow(bob, alice)
  expect(await countsOf([begin, begin + 50 * minute].map(iso))).toEqual([{}, { follow: 1 }])
  expect(await countsOf([begin, begin + hour].map(iso))).toEqual([{ follow: 1 }, {}])
})

test('the same notifications are counted as are listed: none of muted authors and unwanted reasons', async () => {
  const start = iso(server.clock.now().getTime())
  const post = await social.post(alice)
  await social.like(bob, post)
  await social.like(carol, post)
  await social.reply(carol, post)
  body(await server.post('app.example.graph.muteActor', { actor: bob.did }, alice))
  expect(await countsOf([start])).toEqual([{ like: 1, reply: 1 }])
  const preferences = { reply: { include: 'all', list: false, push: true } }
  body(await server.post('app.example.notification.putPreferencesV2', preferences, alice))
  expect(await countsOf([start])).toEqual([{ like: 1 }])
  expect((await social.list(alice)).notifications).toHaveLength(1)
})

test('10,020 notifications are counted exactly', async () => {
  const start = server.clock.now().getTime()
  await social.like(bob, await social.post(alice))
  await repeatNotification(server, alice, { from: start, count: 10_000 })
  await repeatNotification(server, alice, { from: start + hour, count: 19 })
  expect(await countsOf([start, start + hour].map(iso))).toEqual([{ like: 10_001 }, { like: 19 }])
})

test('starts must ascend, and are at most 100', async () => {
  const [early, late] = [iso(0), iso(hour)]
  for (const starts of [[late, early], [early, early], ['yesterday'], Array(101).fill(early)])
    expect(await counts(starts)).toMatchObject(refusal(400, 'InvalidRequest'))
  expect((await counts(Array.from({ length: 100 }, (_, at) => iso(at * hour)))).status).toBe(200)
})
