/** Tokens of sessions. */
import type { Person } from '../model/person.ts'
import type { World } from '../world/world.ts'
import { Violation } from './act.ts'

/** Refreshes the tokens of a person, or signs in anew if the session has ended. Call it when the server runs. @returns the access token */
export async function freshToken(world: World, person: Person): Promise<string> {
  const { machine, did, password, refresh, name } = person
  let answer = await world.call(machine, 'com.atproto.server.refreshSession', { token: refresh, input: {} })
  if (answer.status === 400 || answer.status === 401) {
    const input = { identifier: did, password }
    answer = await world.call(machine, 'com.atproto.server.createSession', { input })
  }
  if (answer.status !== 200) throw new Violation(`${name} gets no session: ${answer.status}`)
  Object.assign(person, { access: answer.body.accessJwt, refresh: answer.body.refreshJwt })
  return person.access
}

/** Refreshes the tokens of a session. @returns what happened, in words */
export async function renew(world: World, person: Person): Promise<string> {
  const { machine, refresh: token, name } = person
  const { status, body } = await world.call(machine, 'com.atproto.server.refreshSession', {
    token,
    input: {},
  })
  if (status === 200) Object.assign(person, { access: body.accessJwt, refresh: body.refreshJwt })
  return `refresh of ${name} → ${status} ${body?.error ?? ''}`
}
