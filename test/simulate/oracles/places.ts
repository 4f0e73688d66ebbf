/** What the status says of continuous copies is true: what it calls copied can be restored, and nothing else. */
import type { PlaceStatus } from '../../../server/operation/replicas/replica-status.ts'
import { createRandom } from '../../support/replicas/random.ts'
import { Violation } from '../acts/act.ts'
import type { Person } from '../model/person.ts'
import { contentOf } from '../world/content.ts'
import type { Machine } from '../world/machine.ts'
import type { PlaceHost } from '../world/place-host.ts'
import { type Trial, tryRestore } from '../world/trial-restore.ts'
import type { World } from '../world/world.ts'
import { checkRestorePoint, noteComplete } from './restore-points.ts'

const minuteMs = 60_000
/** Most copies have the changes of the checks before this one so soon. */
const soonMs = minuteMs / 2
/** After half a minute and five times five minutes without faults, a copy is up to date. */
const rounds = 6

export function statusOf(machine: Machine, host: PlaceHost): PlaceStatus | undefined {
  return machine.running.services.operation.copies.status().find(({ url }) => url === host.url)
}

/** Whether a status says that everything can be restored. */
export function isCurrent(status: PlaceStatus | undefined): boolean {
  if (!status || status.problem || status.isPaused || status.copiedAt === undefined) return false
  return status.behind === 0 && status.behindSeconds === 0 && status.seq !== undefined
}

/** Without faults, every copy is up to date soon. One of those that are is restored. */
export async function checkPlaces(world: World): Promise<void> {
  const copies = world.machines.flatMap((machine) =>
    machine.places.filter(({ isUsed }) => isUsed).map((host) => ({ machine, host })),
  )
  for (const { machine, host } of copies) await waitUntilCurrent(world, machine, host)
  const found = copies.filter(({ host }) => !host.isDoubtful)
  if (found.length === 0) return
  const { machine, host } = createRandom(world.counter).pick(found)
  await checkCopy(world, machine, host)
}

async function waitUntilCurrent(world: World, machine: Machine, host: PlaceHost): Promise<void> {
  const { clock } = world.time
  const { copies } = machine.running.services.operation
  for (let round = 0; round < rounds; round++) {
    checkBlame(machine, host)
    const status = statusOf(machine, host)
    if (isCurrent(status)) return
    if (status?.problem?.kind === 'empty' && host.isDoubtful) await world.drive(copies.acceptEmpty(host.url))
    const waitMs = round === 0 ? soonMs : 5 * minuteMs
    await clock.set(new Date(clock.now().getTime() + waitMs), 5)
  }
  const { problem, behind } = statusOf(machine, host) ?? {}
  throw new Violation(
    `the copy of ${machine.name} at ${host.kind} stays behind by ${behind}: ${problem?.kind}, ${problem?.message}`,
  )
}

/** There is no other computer that could continue a server. */
function checkBlame(machine: Machine, host: PlaceHost): void {
  const isBlamed = statusOf(machine, host)?.problem?.kind === 'elsewhere'
  if (isBlamed || machine.running.services.operation.copies.isElsewhere())
    throw new Violation(`${machine.name} says that another computer continues it, and there is none`)
}

/** Restores what a place truly has, and compares it with what the status says. @returns what happened, in words */
export async function checkCopy(world: World, machine: Machine, host: PlaceHost): Promise<string> {
  checkBlame(machine, host)
  const status = statusOf(machine, host)
  const words = `the copy of ${machine.name} at ${host.kind}`
  const source = isCurrent(status) ? contentOf(machine.running.services.store) : undefined
  const trial = await tryRestore(world, host)
  if (host.isDoubtful) return `${words} may be damaged`
  if (trial instanceof Error) {
    if (status?.seq === undefined) return `${words} cannot be restored`
    throw new Violation(`${words} cannot be restored up to ${status.seq}: ${trial.message}`)
  }
  if (trial.seq < (status?.seq ?? 0))
    throw new Violation(`${words} ends at ${trial.seq}, and the status says ${status?.seq}`)
  const people = world.people.filter((person) => person.machine === machine)
  const wrong = source ? (wrongRows(trial, source) ?? wrongRecords(people, trial)) : undefined
  if (wrong !== undefined) throw new Violation(`${words}, which is up to date: ${wrong}`)
  const gap = gapIn(people, trial)
  if (gap !== undefined) throw new Violation(`${words}: ${gap}`)
  if (source && trial.missing.length > 0) throw new Violation(`${words} lacks ${trial.missing}`)
  await checkRestorePoint(world, host, words)
  if (source) noteComplete(people, host, trial.at)
  return `${words} has ${trial.seq}, ${source ? 'which is everything' : `status ${status?.seq} ${status?.problem?.kind ?? ''}`}`
}

function wrongRows({ content }: Trial, source: Trial['content']): string | undefined {
  for (const [table, rows] of source.tables)
    if (content.tables.get(table) !== rows) return `the rows of ${table} differ`
  return undefined
}

function wrongRecords(people: readonly Person[], { content }: Trial): string | undefined {
  for (const { did, name, history, statuses } of people) {
    const repository = content.repositories.get(did)
    if (!repository && statuses.some(({ isDeleted, deleteAfter }) => isDeleted || deleteAfter)) continue
    if (!repository) return `${name} is missing`
    const truth = history.explain(repository.records)
    if (typeof truth === 'string') return `${name} ${truth}`
  }
  return undefined
}

/** A restored state has nothing that came after what it lacks. */
function gapIn(people: readonly Person[], { content }: Trial): string | undefined {
  let newest = { order: -1, name: '' }
  let lacked = { order: Number.POSITIVE_INFINITY, name: '' }
  for (const { did, name, history } of people) {
    const root = content.repositories.get(did)?.root
    // Of others it is unknown when they were made.
    const at = history.commits.findIndex(({ cid }) => cid === root)
    if (at < 0) continue
    const { order } = history.commits[at] as { order: number }
    const next = history.commits[at - 1]
    if (order > newest.order) newest = { order, name }
    if (next && next.order < lacked.order) lacked = { order: next.order, name }
  }
  if (newest.order < lacked.order) return undefined
  return `it has a change of ${newest.name}, and lacks an earlier one of ${lacked.name}`
}
