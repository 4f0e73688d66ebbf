/** Sign-up and sign-in. */
import { History } from '../model/history.ts'
import { Settings } from '../model/settings.ts'
import { type Act, Violation } from './act.ts'
import { homes } from './choose.ts'

const most = 9

export const createAccount: Act = {
  weight: 3,
  async run(world, random) {
    const machine = random.pick(world.machines)
    if (!machine.isRunning || world.people.length >= most) return undefined
    const name = `person${world.counter++}`
    const handle = `${name}.${machine.domain}`
    const password = `password of ${name}`
    const input = { handle, email: `${name}@mail.test`, password }
    const { status, body } = await world.call(machine, 'com.atproto.server.createAccount', {
      input,
      isAdmin: true,
    })
    if (status !== 200)
      return `${machine.name}: sign-up of ${name} → ${status} ${body?.error ?? ''} ${body?.message}`
    world.people.push({
      ...{ name, handle, machine, password, did: body.did },
      ...{ access: body.accessJwt, refresh: body.refreshJwt },
      ...{
        records: new Map(),
        history: new History(),
        settings: new Settings(),
        notified: new Map(),
        uploads: new Map(),
      },
    })
    return `${machine.name}: sign-up of ${name}, ${body.did}`
  },
}

export const signIn: Act = {
  weight: 2,
  async run(world, random) {
    const person = homes(world, random)
    if (!person) return undefined
    const { machine, did, password, name } = person
    const input = { identifier: did, password }
    const { status, body } = await world.call(machine, 'com.atproto.server.createSession', { input })
    if (status === 401) throw new Violation(`${name} cannot sign in with the password: ${body.message}`)
    if (status === 200) Object.assign(person, { access: body.accessJwt, refresh: body.refreshJwt })
    return `${machine.name}: sign-in of ${name} → ${status}`
  },
}
