/** Servers begin and end to use services of the network, and the relay fails. */
import type { Random } from '../../support/replicas/random.ts'
import type { Machine } from '../world/machine.ts'
import { mailMoods } from '../world/mail-server.ts'
import type { ServiceName } from '../world/services.ts'
import type { World } from '../world/world.ts'
import type { Act } from './act.ts'
import { runningMachine } from './choose.ts'

/** A server begins to use a service, or ends it. */
const using = (name: ServiceName): Act => ({
  weight: 1,
  async run(world, random) {
    const machine = runningMachine(world, random)
    if (!machine) return undefined
    const isUsed = machine.services.has(name)
    // Few are given up.
    if (isUsed && random.chance(0.7)) return undefined
    if (isUsed) machine.services.delete(name)
    else machine.services.add(name)
    await world.drive(machine.stop(), `${machine.name}: stop`)
    await world.drive(machine.start(), `${machine.name}: start`)
    return `${machine.name}: ${isUsed ? 'uses' : 'begins to use'} ${name}${isUsed ? ' no more' : ''}`
  },
})

export const useRelay = using('relay')
export const useAppView = using('appview')
export const useLinks = using('links')
export const useMail = using('mail')

export const failMail: Act = {
  weight: 1,
  async run(world, random) {
    if (!world.machines.some(({ services }) => services.has('mail'))) return undefined
    const { mail } = world.services
    mail.mood = random.pick(mailMoods)
    return `the mail server: ${mail.mood}`
  },
}

/** Faults of the relay. @returns the fault, in words */
const relayFaults: readonly ((world: World, random: Random, machine: Machine) => string)[] = [
  ({ services }) => {
    services.relay.kill()
    return 'is killed'
  },
  ({ services }) => {
    services.relay.kill()
    services.relay.host.start()
    return 'starts again'
  },
  ({ services }, _, machine) => {
    services.relay.forget(machine, false)
    return `loses its position of ${machine.name}`
  },
  ({ services }, _, machine) => {
    services.relay.forget(machine, true)
    return `forgets ${machine.name}`
  },
  ({ services }) => {
    services.relay.connectTwice()
    return 'connects twice'
  },
  ({ services }, random) => {
    services.relay.answer = random.pick([400, 429, 503])
    return `refuses requests with ${services.relay.answer}`
  },
  ({ wire }, _, { name }) => {
    wire.interrupt('relay', name)
    return `lags behind ${name}`
  },
  ({ wire }, random, { name }) => {
    wire.slow('relay', name, 1 + random.below(20_000))
    return `reads ${name} slowly`
  },
  ({ wire }, random, { name }) => {
    const bytes = random.below(6000)
    wire.cutNext('relay', name, bytes)
    return `loses the connection to ${name} after ${bytes} bytes`
  },
  ({ services }) => {
    services.relay.heal()
    return 'works'
  },
]

export const failRelay: Act = {
  weight: 2,
  async run(world, random) {
    const machines = world.machines.filter(({ services }) => services.has('relay'))
    if (machines.length === 0) return undefined
    const words = random.pick(relayFaults)(world, random, random.pick(machines))
    return `the relay ${words}`
  },
}
