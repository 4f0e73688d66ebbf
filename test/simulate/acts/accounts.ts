/** Sign-up. */
import { createPerson } from '../model/person.ts'
import { SignIn } from '../model/sign-in.ts'
import type { Act } from './act.ts'
import { timedCall } from './sessions.ts'

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
    const { status, body, at } = await timedCall(world, machine, 'com.atproto.server.createAccount', {
      input,
      isAdmin: true,
    })
    if (status !== 200)
      return `${machine.name}: sign-up of ${name} → ${status} ${body?.error ?? ''} ${body?.message}`
    const signIn = new SignIn(body, at, undefined)
    world.people.push(createPerson({ name, handle, machine, password, did: body.did, signIn }))
    return `${machine.name}: sign-up of ${name}, ${body.did}`
  },
}
