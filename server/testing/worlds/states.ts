/** Accounts that end in another state than active, and what they can no longer do. */
import { formatPath } from './errors.ts'
import type { Planner } from './planner.ts'
import type { World } from './schema.ts'
import type { Step } from './steps.ts'
import { durationOf } from './times.ts'

/** Adds a step for each such account, at the end of the world by default. */
export function addStates(world: World, planner: Planner): void {
  for (const [index, { name, state }] of world.accounts.entries()) {
    if (state === undefined) continue
    const { to, at, reason, deleteAfter } = typeof state === 'string' ? { to: state } : state
    const path = ['accounts', index, 'state']
    const after = planner.end.getTime()
    const needs = [{ kind: 'account', name, path } as const]
    if (deleteAfter !== undefined && to !== 'deactivated')
      planner.problem([...path, 'deleteAfter'], 'only a deactivated account is deleted later')
    const date = deleteAfter === undefined ? undefined : new Date(after + durationOf(deleteAfter))
    planner.add({ kind: 'state', by: name, to, reason, deleteAfter: date }, { path, at, after, needs })
  }
}

/** Reports steps of accounts that are no longer active. */
export function checkStates(steps: readonly Step[], planner: Planner): void {
  const inactive = new Map<string, Step>()
  for (const step of steps) {
    const { by, kind } = step.action
    const state = inactive.get(by)
    if (state && kind !== 'undo')
      planner.problem(
        step.path,
        `${by} is no longer active then (${formatPath(state.path)} at ${state.at.toISOString()})`,
      )
    if (kind === 'state') inactive.set(by, step)
  }
}
