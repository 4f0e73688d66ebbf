/**
 * A model of a place: computers copy to a place that fails and lies, are killed, cloned and restored in a random order, and rules are
 * checked after each step. `npm run model` runs more steps.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ReplicaKey } from '../../../../server/operation/replicas/replica-key.ts'
import * as acts from '../../../support/replicas/acts.ts'
import { tryRestore } from '../../../support/replicas/restores.ts'
import { type Rule, rules } from '../../../support/replicas/rules.ts'
import { runModel } from '../../../support/replicas/run-model.ts'
import { beginSimulation, endSimulation } from '../../../support/replicas/simulation.ts'
import { World } from '../../../support/replicas/world.ts'

const enforced = Object.keys(rules) as Rule[]

beforeAll(beginSimulation)
afterAll(endSimulation)

test('a place that fails and lies: no false "copied" or "proven", no refusal without another computer, no loss in silence', async () => {
  const result = await runModel({ seed: 36, steps: 300, enforced, limitMs: 110_000 })
  expect(result).toEqual({ steps: 300, report: '' })
})

test('a computer whose running disk was cloned and its clone do not both go on', async () => {
  const world = await World.create(await ReplicaKey.generate(), 7, enforced)
  const [computer] = world.computers
  if (!computer) throw new Error('There is no computer.')
  await world.step('copy', () => acts.copy(world, computer, { isWoken: true }))
  await world.step('clone', () => acts.clone(world, computer))
  await world.step('calm', () => acts.calm(world))
  expect(world.computers.map((each) => world.tracked(each).isRefused)).toEqual([false, true])
  for (const each of world.running) await each.kill()
})

test('a clone that starts many times without the place, and then reads it, does not go on beside the first computer', async () => {
  const world = await World.create(await ReplicaKey.generate(), 7, enforced)
  const [computer] = world.computers
  if (!computer) throw new Error('There is no computer.')
  await world.step('copy', () => acts.copy(world, computer, { isWoken: true }))
  await world.step('unmount', async () => world.unmount())
  await world.step('clone', () => acts.clone(world, computer))
  const [, clone] = world.computers
  if (!clone) throw new Error('There is no clone.')
  for (let start = 0; start < 10; start++) await world.step('restart', () => acts.restart(world, clone))
  await world.step('mount', async () => world.mount())
  await world.step('calm', () => acts.calm(world))
  expect(world.computers.map((each) => world.tracked(each).isRefused)).toEqual([false, true])
  for (const each of world.running) await each.kill()
})

test('changes that a clone makes in a run without its place are not mixed with those of the first computer', async () => {
  const world = await World.create(await ReplicaKey.generate(), 7, enforced)
  const [computer] = world.computers
  if (!computer) throw new Error('There is no computer.')
  await world.step('copy', () => acts.copy(world, computer, { isWoken: true }))
  await world.step('unmount', async () => world.unmount())
  await world.step('clone', () => acts.clone(world, computer))
  const [, clone] = world.computers
  if (!clone) throw new Error('There is no clone.')
  await world.step('write', () => acts.write(world, computer, 1))
  await world.step('write', () => acts.write(world, clone, 4))
  await world.step('restart', () => acts.restart(world, clone))
  await world.step('mount', async () => world.mount())
  await world.step('calm', () => acts.calm(world))
  await world.step('tryRestore', () => tryRestore(world))
  for (const each of world.running) await each.kill()
})

test('a clean-up of an empty place, which had the copy, puts nothing there', async () => {
  const world = await World.create(await ReplicaKey.generate(), 7, enforced)
  const [computer] = world.computers
  if (!computer) throw new Error('There is no computer.')
  await world.step('copy', () => acts.copy(world, computer, { isWoken: true }))
  await world.step('unmount', async () => world.unmount())
  await world.step('compact', () => acts.compact(world, computer))
  expect(world.place.names()).toEqual([])
  await world.step('copy', () => acts.copy(world, computer, { isWoken: true }))
  expect(computer.status?.problem?.kind).toBe('empty')
  await computer.kill()
})
