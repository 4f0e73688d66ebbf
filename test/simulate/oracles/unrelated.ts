/** Posts and reposts of other servers are stored while an account follows their author or is subscribed to it, or a record refers to them. */
import { Violation } from '../acts/act.ts'
import type { Person } from '../model/person.ts'
import type { Machine } from '../world/machine.ts'
import type { World } from '../world/world.ts'

/** When a machine was last checked, by its clock, and how many processes it had started. */
interface Checked {
  readonly at: number
  readonly starts: number
}

const lastChecks = new WeakMap<Machine, Checked>()

const referring = ['feed.post', 'feed.repost', 'feed.like', 'graph.follow'].map((name) => `app.bsky.${name}`)

const stored = `SELECT a.did, c.nsid, r.rkey FROM remote_feed_items f
  JOIN records r ON r.id = f.record JOIN actors a ON a.id = r.actor JOIN collections c ON c.id = r.collection
  WHERE r.indexed_at > ?`

/** Call it after the repositories and settings were compared, and before settings forget what was since the last check. */
export function checkUnrelated(world: World): void {
  for (const machine of world.machines) {
    const { at, starts } = lastChecks.get(machine) ?? { at: 0, starts: 1 }
    lastChecks.set(machine, { at: machine.now().getTime(), starts: machine.starts })
    // After a restore, what was stored may be that of another time.
    if (machine.wasSet || machine.starts !== starts || hasLeft(world, machine)) continue
    checkMachine(world, machine, at)
  }
}

/** Whether accounts have left, with their follows. */
function hasLeft({ people, deleted, accounts }: World, machine: Machine): boolean {
  const isHere = (person: Person) => person.machine === machine
  return (
    deleted.some(isHere) ||
    accounts.some((one) => isHere(one) && !people.includes(one)) ||
    people.some(({ wasAwayAt }) => wasAwayAt.has(machine))
  )
}

function checkMachine({ people }: World, machine: Machine, since: number): void {
  const { store } = machine.running.services
  const rows = store.all<{ did: string; nsid: string; rkey: string }>(stored, [since])
  if (rows.length === 0) return
  const references = JSON.stringify(
    people.flatMap(({ history }) => referring.flatMap((collection) => history.recent(collection))),
  )
  const here = people.filter((person) => person.machine === machine)
  for (const { did, nsid, rkey } of rows) {
    const name = nsid.split('.').slice(-2).join('.')
    const isReferred = references.includes(`${did}/`) && references.includes(rkey)
    if (isReferred || here.some((person) => mayWatch(person, did))) continue
    throw new Violation(`${machine.name} stores ${name}/${rkey} of ${did}, followed by no account there`)
  }
}

/** Whether an account may have followed another one, or have been subscribed to it, since the last check. */
function mayWatch({ history, settings }: Person, did: string): boolean {
  const follows = history.recent('app.bsky.graph.follow')
  const subscriptions = settings.recent(`subscription ${did}`)
  return (
    follows.some(({ value }) => (value as { subject?: unknown }).subject === did) ||
    subscriptions.some((one) => one?.post || one?.reply)
  )
}
