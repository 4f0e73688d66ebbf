/**
 * A model of sign-in: honest people and apps, and an attacker, take steps in a random order, and rules are checked after each.
 * `MODEL_SEED=random` or a number changes the steps, `MODEL_STEPS` their number, `MODEL_RULES=theft,order` the rules.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { setupClientSite, site } from '../../../support/accounts/client-site.ts'
import { hour } from '../../../support/server/clock.ts'
import type { Account } from '../../../support/server/server.ts'
import { server } from '../../../support/server/setup.ts'
import { Attacker } from '../../../support/sign-in/attacker.ts'
import { commands, finish, type Scene } from '../../../support/sign-in/commands.ts'
import { type Program, type Rule, rules, World } from '../../../support/sign-in/world.ts'

const { MODEL_SEED = '2583', MODEL_STEPS = '500', MODEL_RULES } = process.env
const seed = MODEL_SEED === 'random' ? Date.now() & 0x7fffffff : Number(MODEL_SEED)
/** Ends the search for a shorter failure, too. */
const limitMs = 60_000 + Number(MODEL_STEPS) * 400
const enforced = (MODEL_RULES?.split(',') ?? Object.keys(rules)) as Rule[]

setupClientSite()

const scope = 'atproto transition:generic'

function programs(): Program[] {
  const loopback = 'http://127.0.0.1/callback'
  const query = new URLSearchParams({ redirect_uri: loopback, scope })
  const redirect = `${site.origin}/callback`
  const clientId = site.publish({ redirect_uris: [redirect], application_type: 'web' })
  return [
    { name: 'the local app', clientId: `http://localhost?${query}`, redirect: loopback, scope },
    { name: 'the web app', clientId, redirect, scope },
  ]
}

test('sign-in: the code goes to the browser that decided, and an honest app gets in within a minute', {
  timeout: 2 * limitMs,
}, async () => {
  const accounts: Account[] = []
  for (const name of ['olga', 'alice', 'bob', 'mallory']) accounts.push(await server.account(name))
  const apps = programs()
  let steps = 0
  let runs = 0
  let hasFailed = false
  let firstFailure = ''
  const property = fc.asyncProperty(commands, async (steps_) => {
    if (steps >= Number(MODEL_STEPS) && !hasFailed) return
    if (!hasFailed) runs++
    // Ends every request of the run before.
    await server.elapse(3 * hour)
    const world = await World.create(accounts, apps, enforced)
    const count = () => hasFailed || ++steps <= Number(MODEL_STEPS)
    const scene: Scene = { world, attacker: new Attacker(world), count }
    try {
      await fc.asyncModelRun(() => ({ model: scene, real: scene }), steps_)
      await finish(scene)
    } catch (error) {
      if (!hasFailed) firstFailure = `First failed at step ${steps}, in run ${runs}`
      hasFailed = true
      throw error
    }
  })
  const details = await fc.check(property, {
    seed,
    numRuns: Number(MODEL_STEPS),
    interruptAfterTimeLimit: limitMs,
  })
  const report = details.failed
    ? `${firstFailure}: ${details.errorInstance}\n${await fc.asyncDefaultReportMessage(details)}`
    : ''
  expect(report).toBe('')
  expect(steps).toBeGreaterThanOrEqual(Number(MODEL_STEPS))
})
