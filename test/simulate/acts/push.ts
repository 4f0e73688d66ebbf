/** Devices get notifications by push: they register and unregister, and the push service fails. */
import type { Device } from '../model/device.ts'
import type { Person } from '../model/person.ts'
import type { SignIn } from '../model/sign-in.ts'
import { pushMoods } from '../world/push-service.ts'
import type { World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { holders, homes } from './choose.ts'
import { isLost, renew } from './sessions.ts'

/** Devices that a person has at most. */
const most = 3

const appId = 'app.simulated'

async function call(
  world: World,
  person: Person,
  method: string,
  { token, signIn }: { readonly token: string; readonly signIn: SignIn },
): Promise<{ readonly status: number; readonly words: string }> {
  const { machine, name } = person
  const answer = await world.call(machine, `app.bsky.notification.${method}`, {
    input: { serviceDid: world.services.push.host.did, token, platform: 'ios', appId },
    token: signIn.access.jwt,
  })
  const { body, status } = answer
  const words = `${machine.name}: ${name} ${method} ${token} → ${status} ${body?.error ?? ''}`
  if (body?.error === 'ExpiredToken') return { status, words: `${words}, ${await renew(world, person)}` }
  if (status !== 200 && !isLost(answer)) throw new Violation(`${words} ${body?.message}`)
  return { status, words }
}

export const registerPush: Act = {
  weight: 1,
  async run(world, random) {
    const person = homes(world, random)
    if (!person) return undefined
    const { devices, current: signIn } = person
    const known = random.chance(0.3) && devices.length > 0 ? random.pick(devices) : undefined
    if (!known && devices.length >= most) return undefined
    const token = known?.token ?? `device${world.counter++}`
    // A device that was removed has another token.
    if (world.services.push.wasRemoved(token)) return undefined
    const { status, words } = await call(world, person, 'registerPush', { token, signIn })
    if (status === 200 || status === 0 || status >= 500) {
      person.devices = devices.filter((device) => device.token !== token)
      const isRegistered = status === 200 ? 'yes' : 'maybe'
      person.devices.push({ token, signIn, machine: person.machine, isRegistered, isChecked: false })
      // Until the answer, it was a device of the earlier session.
      if (status !== 200 && known) Object.assign(person.devices.at(-1) as Device, { signIn: undefined })
    }
    return words
  },
}

export const unregisterPush: Act = {
  weight: 1,
  async run(world, random) {
    const person = holders(world, random)
    const device = person && person.devices.length > 0 ? random.pick(person.devices) : undefined
    if (!person || !device) return undefined
    const { status, words } = await call(world, person, 'unregisterPush', {
      token: device.token,
      signIn: person.current,
    })
    if (status === 200) device.isRegistered = 'no'
    else if (status === 0 || status >= 500) device.isRegistered = 'maybe'
    return words
  },
}

export const failPush: Act = {
  weight: 1,
  async run(world, random) {
    const { push } = world.services
    const devices = world.people.flatMap((person) => person.devices)
    if (devices.length === 0) return undefined
    if (random.chance(0.2)) {
      const device = random.pick(devices)
      push.lose(device.token)
      device.isRegistered = device.isRegistered === 'no' ? 'no' : 'maybe'
      return `${device.token} was removed`
    }
    push.mood = random.pick(['well', 'well', ...pushMoods])
    return `the push service is ${push.mood}`
  },
}
