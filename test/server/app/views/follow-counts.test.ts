/** The counts of followers and follows of profiles agree with the lists, without inactive accounts. */
import { expect, test } from 'vitest'
import { paths } from '../../../../server/repository/format/link-paths.ts'
import { seededRandom } from '../../../crash/random.ts'
import { type Account, adminAuth } from '../../../support/server/server.ts'
import { alice, bob, carol, owner, server, setupAccounts, social } from '../../../support/server/setup.ts'
import { body, graph, type Ref } from '../../../support/server/social.ts'

setupAccounts({ accounts: ['viewer'] })

/** The numbers in the profile, after a check that the lists have as many. */
async function countsOf(account: Account): Promise<readonly [followers: number, follows: number]> {
  const read = async (name: string) =>
    body(await server.get(`${graph}.${name}`, { actor: account.did, limit: '100' }, owner))
  const { followersCount, followsCount } = body(
    await server.get('app.example.actor.getProfile', { actor: account.did }, owner),
  )
  const [{ followers }, { follows }] = [await read('getFollowers'), await read('getFollows')]
  expect([followersCount, followsCount]).toEqual([followers.length, follows.length])
  return [followersCount, followsCount]
}

test.each(['takedown', 'suspended', 'deactivated'])(
  '%s: an account counts neither as a follower nor as a follow, until it is active again',
  async (state) => {
    for (const other of [bob, carol]) {
      await social.follow(other, alice)
      await social.follow(alice, other)
    }
    await social.follow(bob, alice)
    expect(await countsOf(alice)).toEqual([2, 2])
    await server.setStatus(bob.did, { [state]: true })
    expect(await countsOf(alice)).toEqual([1, 1])
    await server.restart()
    expect(await countsOf(alice)).toEqual([1, 1])
    await server.setStatus(bob.did, { [state]: false })
    expect(await countsOf(alice)).toEqual([2, 2])
    expect(await countsOf(bob)).toEqual([1, 1])
  },
)

test('a deleted account does not count, nor one that is deleted while it is inactive', async () => {
  for (const other of [bob, carol]) {
    await social.follow(other, alice)
    await social.follow(alice, other)
  }
  await server.setStatus(carol.did, { deactivated: true })
  for (const { did } of [bob, carol]) {
    body(await server.post('com.core.admin.deleteAccount', { did }, adminAuth))
    await server.running.services.background.idle()
    expect(await countsOf(alice)).toEqual([0, 0])
  }
})

test('follows that change while an account is inactive count when it is active again', async () => {
  const follow = await social.follow(alice, bob)
  await server.setStatus(bob.did, { takedown: true })
  await social.follow(carol, bob)
  await social.remove(alice, follow)
  expect(await countsOf(alice)).toEqual([0, 0])
  expect(await countsOf(carol)).toEqual([0, 0])
  await server.setStatus(bob.did, { takedown: false })
  expect(await countsOf(bob)).toEqual([1, 0])
  expect(await countsOf(carol)).toEqual([0, 1])
})

test('known followers leave inactive accounts out of the count', async () => {
  for (const follower of [bob, carol]) {
    await social.follow(follower, alice)
    await social.follow(owner, follower)
  }
  const known = async () =>
    body(await server.get('app.example.actor.getProfile', { actor: alice.did }, owner)).viewer.knownFollowers
  expect(await known()).toMatchObject({ count: 2 })
  await server.setStatus(bob.did, { takedown: true })
  expect(await known()).toMatchObject({ count: 1, followers: [{ did: carol.did }] })
})

test('after any sequence of changes the counts are those that the links give', async () => {
  const random = seededRandom(20)
  const people = [alice, bob, carol]
  const follows: { readonly by: Account; readonly ref: Ref }[] = []
  const inactive = new Set<Account>()
  const { store } = server.running.services
  const stored = () =>
    store.all('SELECT * FROM follow_counts WHERE followers > 0 OR follows > 0 ORDER BY actor')
  const ofLinks = `
    SELECT actor, sum(followers) AS followers, sum(follows) AS follows FROM (
      SELECT l.subject AS actor, count(DISTINCT l.actor) AS followers, 0 AS follows
        FROM links l JOIN actors a ON a.id = l.actor AND a.inactive = 0
        WHERE l.path = ${paths.follow} GROUP BY l.subject
      UNION ALL
      SELECT l.actor, 0, count(DISTINCT l.subject)
        FROM links l JOIN actors a ON a.id = l.subject AND a.inactive = 0
        WHERE l.path = ${paths.follow} GROUP BY l.actor)
    GROUP BY actor ORDER BY actor`
  for (let step = 0; step < 60; step++) {
    const by = people[random(3)] as Account
    const choice = random(6)
    if (choice < 2) {
      const isInactive = inactive.has(by)
      await server.setStatus(by.did, { takedown: !isInactive })
      if (isInactive) {
        inactive.delete(by)
        Object.assign(by, (await server.signIn(by)).body)
      } else inactive.add(by)
    } else if (choice < 3) {
      const at = follows.findIndex((one) => !inactive.has(one.by))
      const [removed] = at < 0 ? [] : follows.splice(at, 1)
      if (removed) await social.remove(removed.by, removed.ref)
    } else if (!inactive.has(by)) {
      follows.push({ by, ref: await social.follow(by, people[random(3)] as Account) })
    }
  }
  expect(stored().length).toBeGreaterThan(1)
  expect(store.all(ofLinks)).toEqual(stored())
})
