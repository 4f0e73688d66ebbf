/** The private preferences that clients store: app.example.actor.getPreferences and putPreferences. */
import { describe, expect, test } from 'vitest'
import { type Account, refusal } from '../../../support/server/server.ts'
import { server, setupServer } from '../../../support/server/setup.ts'

setupServer({ accounts: ['preferences-owner'] })

type Auth = Pick<Account, 'accessJwt'>
type Preference = Record<string, unknown>

const read = async (auth: Auth, authority = 'app.example') =>
  (await server.get(`${authority}.actor.getPreferences`, {}, auth)).body.preferences as Preference[]
const put = (auth: Auth, preferences: unknown[], authority = 'app.example') =>
  server.post(`${authority}.actor.putPreferences`, { preferences }, auth)

const named = (name: string, members: object = {}, authority = 'app.example'): Preference => ({
  $type: `${authority}.actor.defs#${name}`,
  ...members,
})
const adult = named('adultContentPref', { enabled: true })
const born = (birthDate: unknown, authority?: string) =>
  named('personalDetailsPref', { birthDate }, authority)

describe('preferences', () => {
  test('are empty at first', async () => {
    const alice = await server.account('alice')
    expect(await read(alice)).toEqual([])
  })

  test('are replaced as a whole, in their order', async () => {
    const bob = await server.account('bob')
    const words = named('mutedWordsPref', { items: [{ value: 'rain', targets: ['content'] }] })
    expect((await put(bob, [words, adult])).status).toBe(200)
    expect(await read(bob)).toEqual([words, adult])
    expect((await put(bob, [adult])).status).toBe(200)
    expect(await read(bob)).toEqual([adult])
  })

  test('are private to the account', async () => {
    const carla = await server.account('carla')
    const dan = await server.account('dan')
    await put(carla, [adult])
    expect(await read(dan)).toEqual([])
  })

  test('keep unknown types and members', async () => {
    const eve = await server.account('eve')
    const unknown = [
      { ...adult, color: 'green', nested: { list: [1, { deep: null }] } },
      named('futurePref', { enabled: 'perhaps' }),
      { $type: 'app.example.weather.defs#place', name: 'Lisbon' },
    ]
    await put(eve, unknown)
    expect(await read(eve)).toEqual(unknown)
  })

  test('have the names of the caller', async () => {
    const frank = await server.account('frank')
    const theirs = named('savedFeedsPrefV2', { items: [], extra: true }, 'app.bsky')
    expect((await put(frank, [theirs, adult], 'app.bsky')).status).toBe(200)
    const ours = named('savedFeedsPrefV2', { items: [], extra: true })
    expect(await read(frank)).toEqual([ours, adult])
    const theirAdult = named('adultContentPref', { enabled: true }, 'app.bsky')
    expect(await read(frank, 'app.bsky')).toEqual([theirs, theirAdult])
  })

  test.each([
    ['of another namespace', 'grace-0', { $type: 'com.example.defs#pref' }],
    ['of the core namespace', 'grace-1', { $type: 'com.core.server.defs#session' }],
    ['of a namespace that only begins alike', 'grace-2', { $type: 'app.examples.actor.defs#pref' }],
    ['without $type', 'grace-3', { enabled: true }],
    ['with a $type that is not text', 'grace-4', { $type: 1 }],
    ['that are not objects', 'grace-5', 'adultContentPref'],
  ])('%s are refused, and change nothing', async (_, name, bad) => {
    const grace = await server.account(name)
    await put(grace, [adult])
    expect(await put(grace, [adult, bad])).toMatchObject(refusal(400, 'InvalidRequest'))
    expect(await read(grace)).toEqual([adult])
  })

  test('of more than 1 MB are refused', async () => {
    const heidi = await server.account('heidi')
    const sized = (length: number) => [named('bigPref', { text: 'x'.repeat(length) })]
    expect((await put(heidi, sized(990_000))).status).toBe(200)
    expect(await put(heidi, sized(1_000_000))).toMatchObject(refusal(413, 'PayloadTooLarge'))
    expect(await read(heidi)).toEqual(sized(990_000))
  })

  test('can be stored before an account that moves here is activated', async () => {
    const ivan = await server.account('ivan')
    await server.post('com.core.server.deactivateAccount', {}, ivan)
    expect((await put(ivan, [adult])).status).toBe(200)
    expect(await read(ivan)).toEqual([adult])
  })

  test('count as private state', async () => {
    const judy = await server.account('judy')
    await put(judy, [adult, named('threadViewPref')])
    const { body } = await server.get('com.core.server.checkAccountStatus', {}, judy)
    expect(body.privateStateValues).toBe(2)
  })
})

describe('personal details', () => {
  test('give age limits, in the namespace of the caller', async () => {
    const kim = await server.account('kim')
    // The clock of tests stands in 2030.
    for (const authority of ['app.example', 'app.bsky']) {
      const details = born('2015-01-01T00:00:00.000Z', authority)
      await put(kim, [details])
      const limits = { isOverAge13: true, isOverAge16: false, isOverAge18: false }
      expect(await read(kim, authority)).toEqual([details, named('declaredAgePref', limits, authority)])
    }
  })

  test('count a year on the birthday', async () => {
    const leo = await server.account('leo')
    const today = server.clock.now()
    const limit = async (days: number) => {
      const date = new Date(
        Date.UTC(today.getUTCFullYear() - 18, today.getUTCMonth(), today.getUTCDate() + days),
      )
      await put(leo, [born(date.toISOString())])
      return (await read(leo)).at(-1)?.isOverAge18
    }
    expect(await limit(0)).toBe(true)
    expect(await limit(1)).toBe(false)
  })

  test('with an invalid date are kept, without age limits', async () => {
    const mia = await server.account('mia')
    await put(mia, [born('long ago')])
    expect(await read(mia)).toEqual([born('long ago')])
  })

  test('are read-only as age limits', async () => {
    const nina = await server.account('nina')
    const forged = named('declaredAgePref', { isOverAge18: true })
    await put(nina, [forged, adult])
    expect(await read(nina)).toEqual([adult])
  })

  test('are shown to the session of a taken-down account and changed by it', async () => {
    const taro = await server.account('taro')
    const details = born('1990-05-05T00:00:00.000Z')
    await put(taro, [details, adult])
    await server.setStatus(taro.did, { takedown: true })
    const { body: session } = await server.signIn(taro, { allowTakendown: true })
    const age = named('declaredAgePref', { isOverAge13: true, isOverAge16: true, isOverAge18: true })
    expect(await read(session)).toEqual([details, adult, age])
    const changed = born('1991-05-05T00:00:00.000Z')
    expect((await put(session, [changed])).status).toBe(200)
    expect(await read(session)).toEqual([changed, age])
  })

  test('are neither shown to app passwords nor changed by them', async () => {
    const oscar = await server.account('oscar')
    const app = await server.appSession(oscar, 'phone', true)
    const details = born('1990-05-05T00:00:00.000Z')
    await put(oscar, [details, adult])
    const limits = { isOverAge13: true, isOverAge16: true, isOverAge18: true }
    const age = named('declaredAgePref', limits)
    expect(await read(app)).toEqual([adult, age])
    expect(await put(app, [born('2000-01-01T00:00:00.000Z')])).toMatchObject(refusal(400, 'InvalidRequest'))
    const changed = named('adultContentPref', { enabled: false })
    expect((await put(app, [changed, age])).status).toBe(200)
    expect(await read(oscar)).toEqual([changed, details, age])
  })
})
