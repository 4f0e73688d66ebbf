/** Deactivation with and without a date of deletion, activation, and what an administrator does to accounts. */
import type { Person } from '../model/person.ts'
import { maybeChanged, type Status } from '../model/status.ts'
import type { Answer, World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { holders, personWith } from './choose.ts'
import { callAs, endAll } from './passwords.ts'
import { isLost } from './sessions.ts'

/** Changes the model by an answer. @returns what was answered */
export function change(person: Person, answer: Answer, next: (status: Status) => Status): string {
  const { status, body } = answer
  const isRenewable = body?.error === 'ExpiredToken'
  if (status === 200) person.statuses = person.statuses.map(next)
  else if (isLost(answer)) person.statuses = maybeChanged(person.statuses, next)
  else if (!isRenewable) throw new Violation(`${person.name} → ${status} ${JSON.stringify(body)}`)
  return `→ ${status} ${body?.error ?? ''}`
}

const hourMs = 60 * 60_000

export const deactivate: Act = {
  weight: 2,
  async run(world, random) {
    const person = holders(world, random)
    if (!person) return undefined
    const afterMs = Math.floor(hourMs * 3 ** (random.next() * 6))
    const deleteAfter = random.chance(0.6)
      ? new Date(person.machine.now().getTime() + afterMs + 2 * hourMs).toISOString()
      : undefined
    const answer = await callAs(world, person, 'com.atproto.server.deactivateAccount', { deleteAfter })
    const words = change(person, answer, (status) => ({ ...status, isDeactivated: true, deleteAfter }))
    return `${person.machine.name}: deactivates ${person.name}, deletion ${deleteAfter ?? 'never'} ${words}`
  },
}

/** Activates an account; now and then the directory does not answer. */
export const activate: Act = {
  weight: 2,
  async run(world, random) {
    const person = personWith(
      world,
      random,
      ({ isDeactivated, isSuspended, isTakenDown }) => (isDeactivated || isSuspended) && !isTakenDown,
    )
    if (!person) return undefined
    if (random.chance(0.3)) world.wire.interrupt(person.machine.name, 'plc')
    const before = person.statuses
    const answer = await callAs(world, person, 'com.atproto.server.activateAccount')
    // The date is cancelled first, also if the directory does not answer; see `keepAccount`.
    const kept = { ...answer, status: isLost(answer) ? answer.status : 200 }
    const isSuspended = answer.body?.error === 'AccountSuspended'
    const words = change(person, isSuspended ? kept : answer, (status) => ({
      ...status,
      deleteAfter: undefined,
      isDeactivated: isSuspended && status.isDeactivated,
    }))
    const cancelled = (status: Status) => ({ ...status, deleteAfter: undefined })
    if (answer.body?.error === 'UpstreamFailure') person.statuses = before.map(cancelled)
    else if (isLost(answer)) person.statuses = maybeChanged(person.statuses, cancelled)
    return `${person.machine.name}: activates ${person.name} ${words}`
  },
}

/** Takes an account down, suspends it, or ends that. */
export const moderate: Act = {
  weight: 2,
  async run(world, random) {
    const isTakedown = random.chance(0.5)
    const has = ({ isTakenDown, isSuspended }: Status) => (isTakedown ? isTakenDown : isSuspended)
    // Most accounts are to be usable.
    const applied = random.chance(0.35)
    const person = personWith(world, random, (status) => has(status) !== applied)
    if (!person) return undefined
    const input = {
      subject: { $type: 'com.atproto.admin.defs#repoRef', did: person.did },
      [isTakedown ? 'takedown' : 'suspended']: { applied },
    }
    const answer = await asAdmin(world, person, 'updateSubjectStatus', input)
    const words = change(person, answer, (status) => ({
      ...status,
      ...(isTakedown ? { isTakenDown: applied } : { isSuspended: applied }),
    }))
    if (isTakedown && (answer.status === 200 || isLost(answer)))
      endAll(person, answer.status === 200 ? 'no' : 'maybe')
    const verb = isTakedown ? 'take-down' : 'suspension'
    return `${person.machine.name}: ${applied ? '' : 'end of '}${verb} of ${person.name} ${words}`
  },
}

export function asAdmin(world: World, { machine }: Person, method: string, input: object): Promise<Answer> {
  return world.call(machine, `com.atproto.admin.${method}`, { input, isAdmin: true })
}
