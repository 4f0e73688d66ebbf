/** Weeks pass, in which the servers run, or one of them is off: what is due happens, and nothing else. */
import { type Act, Violation } from './act.ts'

const dayMs = 24 * 60 * 60_000
/** The jobs of a server run at least once in this time, before it takes its clock to be wrong. */
const stretchMs = 5 * dayMs

export const waitWeeks: Act = {
  weight: 1,
  async run(world, random) {
    const { clock } = world.time
    // The longest refresh tokens live for 90 days.
    const days = Math.ceil(3 * 12 ** random.next()) * (random.chance(0.2) ? 3 : 1)
    // Activity that takes longer to arrive than servers look back would notify of nothing.
    world.wire.heal()
    for (const machine of world.machines) {
      if (machine.isRunning && !machine.disk.hasFault) continue
      machine.kill()
      await world.drive(machine.start(), `${machine.name}: start`)
    }
    await world.rest()
    const off = random.chance(0.3) ? random.pick(world.machines) : undefined
    const words = [`${days} days pass`]
    if (off) {
      await world.drive(off.stop(), `${off.name}: stop`)
      // Its clock is implausible for a while.
      off.wasSet = true
      words.push(`${off.name} is off`)
    }
    const absent = random.chance(0.4) ? random.pick(world.machines) : undefined
    if (absent) {
      world.consumerOf(absent).leave()
      words.push(`a consumer of ${absent.name} is off`)
    }
    const ms = days * dayMs
    await clock.set(new Date(clock.now().getTime() + ms), Math.ceil(ms / stretchMs))
    world.keepFiles(ms)
    for (const machine of world.machines)
      if (machine.isRunning && !machine.wasSet && !machine.running.services.clock.isPlausible())
        throw new Violation(`${machine.name} doubts its clock after ${days} days`)
    if (off) await world.drive(off.start(), `${off.name}: start`)
    // The other ones may have lost their connections in that time.
    for (const machine of world.machines) world.consumerOf(machine).comeBack()
    await world.time.settle()
    return words.join(', ')
  },
}
