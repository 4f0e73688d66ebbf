/** Random damages of the objects of a place: no restore loses something in silence. `DAMAGES=240` tries more, `MODEL_SEED` others. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ReplicaKey } from '../../../../server/operation/replicas/replica-key.ts'
import * as acts from '../../../support/replicas/acts.ts'
import { createRandom } from '../../../support/replicas/random.ts'
import { tryRestore } from '../../../support/replicas/restores.ts'
import { Violation } from '../../../support/replicas/rules.ts'
import { beginSimulation, endSimulation } from '../../../support/replicas/simulation.ts'
import { World } from '../../../support/replicas/world.ts'
import { day, hour } from '../../../support/server/clock.ts'

const { DAMAGES = '40', MODEL_SEED = '36' } = process.env
const kinds = ['flip', 'cut', 'delete', 'swap', 'older'] as const

beforeAll(beginSimulation)
afterAll(endSimulation)

test('whatever object is damaged, a restore is complete, or says that it is not', {
  timeout: 600_000,
}, async () => {
  const world = await World.create(await ReplicaKey.generate(), 1, ['restore'])
  const [computer] = world.computers
  if (!computer) throw new Error('There is no computer.')
  const earlier = new Map<string, Uint8Array>()
  for (let round = 0; round < 12; round++) {
    await world.step('write', () => acts.write(world, computer, 3))
    await world.step('add', () => acts.addMedia(world, computer, 500))
    await world.step('copy', () => acts.copy(world, computer, { isWoken: true }))
    await world.step('pass', async () => {
      world.time += round % 4 === 3 ? 8 * day : hour
    })
    for (const [name, bytes] of world.place.objects) if (!earlier.has(name)) earlier.set(name, bytes)
  }
  const whole = new Map(world.place.objects)
  const random = createRandom(Number(MODEL_SEED))
  const results = new Map<string, number>()
  const silent: string[] = []
  for (let left = Number(DAMAGES); left > 0; left--) {
    const objects = new Map(whole)
    world.place.objects = objects
    const [name, other] = [random.pick([...whole.keys()]), random.pick([...whole.keys()])]
    const bytes = whole.get(name) ?? new Uint8Array()
    const kind = random.pick(kinds)
    if (kind === 'flip') world.place.rot(name, random.next())
    if (kind === 'cut') objects.set(name, bytes.subarray(0, random.below(bytes.length)))
    if (kind === 'delete') objects.delete(name)
    if (kind === 'swap') objects.set(name, whole.get(other) ?? bytes).set(other, bytes)
    if (kind === 'older') objects.set(name, earlier.get(name) ?? bytes)
    const result = await outcome(world)
    if (result.startsWith('silent')) silent.push(`${kind} ${name}: ${result}`)
    results.set(result, (results.get(result) ?? 0) + 1)
  }
  // biome-ignore lint/suspicious/noConsole: the shares are the result.
  if (DAMAGES !== '40') console.log(results)
  expect(silent).toEqual([])
  await computer.kill()
})

/** What a restore of the place comes to. */
async function outcome(world: World): Promise<string> {
  try {
    await world.step('restore', () => tryRestore(world))
    return 'all that the place still has'
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    return error.message.includes('restore says') ? 'refused' : `silent: ${error.message}`
  }
}
