/** Accounts have the status that they were given, are deleted at their date and never otherwise, and leave nothing. */
import { Violation } from '../acts/act.ts'
import { bury } from '../acts/deletion.ts'
import { freshToken, timedCall } from '../acts/sessions.ts'
import type { Person } from '../model/person.ts'
import { type Status, wordOf } from '../model/status.ts'
import type { Machine } from '../world/machine.ts'
import { readAgainMs, type World } from '../world/world.ts'
import { refuseSignIn } from './sessions.ts'

/** A date that passed so long ago is done: the servers have run for five minutes. */
const doneMs = 4 * 60_000

/** The DIDs of the accounts that each server shows. */
type Shown = ReadonlyMap<Machine, ReadonlySet<string>>

/** The most that the method permits. */
const profilesPerCall = 25

export async function checkStatuses(world: World): Promise<void> {
  const shown = await readShown(world).catch(async () => {
    // A name whose look-up has failed is looked up again after ten minutes, once it is shown.
    await world.pass(readAgainMs)
    await readShown(world).catch(() => {})
    await world.time.settle()
    return readShown(world)
  })
  for (const person of [...world.people]) await checkStatus(world, person, shown)
  for (const person of world.deleted) await checkDeleted(world, person, shown)
}

async function checkStatus(world: World, person: Person, shown: Shown): Promise<void> {
  const { machine, did, name } = person
  const query = { did }
  const answer = await timedCall(world, machine, 'com.atproto.admin.getSubjectStatus', {
    query,
    isAdmin: true,
  })
  const { status, body, at } = answer
  if (body?.error === 'NotFound') {
    const isAllowed = ({ isDeleted, deleteAfter }: Status) =>
      isDeleted || (deleteAfter !== undefined && Date.parse(deleteAfter) <= at.to + machine.furthestMs)
    if (!person.statuses.some(isAllowed)) throw new Violation(`${name} was deleted`)
    return bury(world, person)
  }
  if (status !== 200) throw new Violation(`status of ${name} → ${status} ${body?.error}`)
  const isOver = (one: Status) =>
    one.deleteAfter !== undefined && Date.parse(one.deleteAfter) + doneMs < at.from
  const isKept = person.statuses.some(isOver) && (await isMoving(world, person))
  const deleteAfter = body.takedown.applied ? null : await dateOf(world, person)
  const possible = person.statuses.filter(
    (one) =>
      one.isDeactivated === body.deactivated.applied &&
      one.isSuspended === body.suspended.applied &&
      one.isTakenDown === body.takedown.applied &&
      (deleteAfter === null || one.deleteAfter === deleteAfter) &&
      !one.isDeleted &&
      (isKept || !isOver(one)),
  )
  if (possible.length === 0) {
    const words = person.statuses.map((one) => JSON.stringify(one)).join(' or ')
    throw new Violation(`${name} is ${JSON.stringify(body)}, ${deleteAfter}; should be ${words}`)
  }
  // While an account is taken down, its date is not seen.
  const [first] = possible
  if (deleteAfter !== null || possible.length === 1) person.statuses = first ? [first] : []
  if (first) await checkAnswers(world, person, wordOf(first), shown)
}

/** Whether its server moves it: then it stays after its date. */
async function isMoving(world: World, { machine, did }: Person): Promise<boolean> {
  const { body } = await world.call(machine, 'com.core.admin.getMove', { query: { did }, isAdmin: true })
  return body?.move !== undefined && body.move.endedAt === undefined
}

/** Returns the date of deletion, as the holder sees it. */
async function dateOf(world: World, person: Person): Promise<string | undefined> {
  const token = await freshToken(world, person)
  const { status, body } = await world.call(person.machine, 'com.atproto.server.checkAccountStatus', {
    token,
  })
  if (status !== 200) throw new Violation(`status of ${person.name} → ${status} ${body?.error}`)
  return body.deleteAfter
}

const errors: Readonly<Record<string, string>> = {
  takendown: 'RepoTakendown',
  suspended: 'RepoSuspended',
  deactivated: 'RepoDeactivated',
  deleted: 'RepoNotFound',
}

/** What anyone reads of an account: its status, its repository, its events, its handle. */
async function checkAnswers(world: World, person: Person, word: string, shown: Shown): Promise<void> {
  const { machine, did, name } = person
  const query = { did }
  const { body } = await world.call(machine, 'com.atproto.sync.getRepoStatus', { query })
  const found = body?.active ? 'active' : (body?.status ?? 'deleted')
  if (found !== word) throw new Violation(`getRepoStatus of ${name} says ${found} instead of ${word}`)
  // Those of active accounts are read later.
  const repository =
    word === 'active' ? undefined : await world.call(machine, 'com.atproto.sync.getRepo', { query })
  if (repository?.body?.error !== errors[word])
    throw new Violation(`getRepo of ${name}, which is ${word} → ${repository?.body?.error}`)
  const events = world.consumerOf(machine).accountOf(did)
  // One that was deleted before the directory had it was never in the events.
  const isUnreported = word === 'deleted' && events.status === undefined
  if (events.status !== word && !isUnreported && !events.isUnknown)
    throw new Violation(`events say ${name} is ${events.status} instead of ${word}`)
  if (word === 'deleted') return
  await checkHandle(world, person, events.handle)
  for (const other of world.machines) {
    const isHere = shown.get(other)?.has(did) === true
    const isKnown = other === machine || person.shownBy.has(other)
    if (word !== 'active' && isKnown && isHere)
      throw new Violation(`${other.name} still shows ${name}, which is ${word}`)
    if (word !== 'active') continue
    // A server forgets an account of another server when no account there refers to it any more.
    if (other === machine && !isHere) throw new Violation(`${other.name} does not show ${name}`)
    if (other !== machine && isHere) person.shownBy.add(other)
    else person.shownBy.delete(other)
  }
}

/** Asks each server for the profiles of all accounts. Their names are those of the directory. */
async function readShown(world: World): Promise<Shown> {
  const { machines, people, deleted } = world
  const all = [...people, ...deleted]
  const names = new Map(all.map(({ did, name }) => [did, name]))
  const dids = all.map(({ did }) => did)
  const shown = new Map(machines.map((machine) => [machine, new Set<string>()]))
  for (const [machine, found] of shown) {
    for (let from = 0; from < dids.length; from += profilesPerCall) {
      const query = dids.slice(from, from + profilesPerCall).map((did) => ['actors', did])
      const { status, body } = await world.call(machine, 'app.bsky.actor.getProfiles', { query })
      if (status !== 200) throw new Violation(`profiles at ${machine.name} → ${status} ${body?.error}`)
      for (const { did, handle } of body.profiles) {
        found.add(did)
        // Until it is verified, no handle is shown.
        if (handle !== world.handleOf(did) && handle !== 'handle.invalid')
          throw new Violation(
            `${machine.name} shows ${names.get(did)} as ${handle} instead of ${world.handleOf(did)}`,
          )
      }
    }
  }
  return shown
}

async function checkHandle(world: World, person: Person, inEvents: string | undefined): Promise<void> {
  const { machine, did, name, handles } = person
  const { body } = await world.call(machine, 'com.atproto.admin.getAccountInfo', {
    query: { did },
    isAdmin: true,
  })
  if (!handles.includes(body.handle))
    throw new Violation(`${name} is ${body.handle} instead of ${handles.join(' or ')}`)
  person.handles = [body.handle]
  const inDirectory = world.handleOf(did)
  if (inDirectory !== body.handle)
    throw new Violation(`the directory says ${name} is ${inDirectory}, not ${body.handle}`)
  if (inEvents !== undefined && inEvents !== body.handle)
    throw new Violation(`events say ${name} is ${inEvents}, not ${body.handle}`)
}

/** Events of an account before the one that reports its deletion: anyone could read them again. */
const earlierEvents = `SELECT count(*) AS n FROM events AS e
  WHERE did = ? AND seq < (SELECT max(seq) FROM events WHERE did = e.did AND kind = 'account')`

async function checkDeleted(world: World, person: Person, shown: Shown): Promise<void> {
  const { machine, did, name, signIns, shownBy } = person
  await checkAnswers(world, person, 'deleted', shown)
  const { n } = machine.running.services.store.get<{ n: number }>(earlierEvents, [did]) ?? { n: 0 }
  if (n > 0)
    throw new Violation(`the stream of ${machine.name} still has ${n} events of ${name}, which is deleted`)
  await refuseSignIn(world, person, 'AuthenticationRequired')
  for (const { refreshJwt: token } of signIns.slice(-2)) {
    const { status, body } = await world.call(machine, 'com.atproto.server.refreshSession', {
      token,
      input: {},
    })
    if (body?.error !== 'AccountNotFound' && body?.error !== 'ExpiredToken')
      throw new Violation(`refresh of ${name}, which is deleted → ${status} ${body?.error}`)
  }
  // Another server that reads of an account later has its identity alone, from the directory.
  for (const other of [machine, ...[...shownBy].filter((one) => !refersTo(world, one, did))]) {
    if (shown.get(other)?.has(did)) throw new Violation(`${other.name} still shows ${name}, which is deleted`)
  }
}

/** Whether a record of an account of a server names another account. */
function refersTo(world: World, machine: Machine, did: string): boolean {
  const values = world.people
    .filter((one) => one.machine === machine)
    .map(({ records }) => [...records.values()])
  return JSON.stringify(values).includes(did)
}
