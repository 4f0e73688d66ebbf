/** Changes of handles. */
import { type Act, Violation } from './act.ts'
import { holders } from './choose.ts'
import { callAs } from './passwords.ts'
import { isLost } from './sessions.ts'

export const changeHandle: Act = {
  weight: 1,
  async run(world, random) {
    const person = holders(world, random)
    if (!person || person.handles.length > 1) return undefined
    const { machine, name } = person
    const handle = `name${world.counter++}.${machine.domain}`
    const answer = await callAs(world, person, 'com.atproto.identity.updateHandle', { handle })
    const { status, body } = answer
    const words = `${machine.name}: ${name} becomes ${handle} → ${status} ${body?.error ?? ''}`
    if (status === 200) person.handles = [handle]
    else if (isLost(answer)) person.handles = [handle, ...person.handles]
    else if (body?.error !== 'ExpiredToken') throw new Violation(`${words} ${body?.message}`)
    return words
  },
}
