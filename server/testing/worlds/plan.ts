/** Plans a world: the steps that create it, in the order of time. Checks names, times and duplicates. */
import { type Path, throwProblems } from './errors.ts'
import { list, need, needs } from './needs.ts'
import { latestDate, type Need, Planner } from './planner.ts'
import { addGraph, addReactions } from './relations.ts'
import type { World, WorldPost } from './schema.ts'
import { addStates, checkStates } from './states.ts'
import type { Step } from './steps.ts'
import { mentionsIn } from './text.ts'

/** The end of a world that names none, so that each run has the same times. */
const defaultEnd = new Date('2026-01-01T00:00:00.000Z')

/**
 * @param end the present of the world, to which its times are relative; the latest absolute time in it by default
 * @throws WorldError for unknown names, duplicates and impossible times
 */
export function planWorld(world: World, end = latestDate(world) ?? defaultEnd): Step[] {
  const planner = new Planner(world, end)
  addAccounts(world, planner)
  addLists(world, planner)
  addPosts(world, planner)
  addReactions(world, planner)
  addGraph(world, planner)
  addDevices(world, planner)
  addStates(world, planner)
  const steps = planner.steps()
  checkStates(steps, planner)
  throwProblems(world, planner.problems)
  return steps
}

/** Returns when a world begins: its clock is then, when loading starts. @param end as of `planWorld` */
export function beginOf(world: World, end = latestDate(world) ?? defaultEnd): Date {
  return new Date(new Planner(world, end).begin)
}

function addAccounts(world: World, planner: Planner): void {
  const entries = world.accounts.map((item, index) => {
    const path = ['accounts', index]
    const as = { kind: 'account', name: item.name, path: [...path, 'name'] } as const
    return planner.add({ kind: 'account', by: item.name, item }, { path, at: item.at, as })
  })
  for (const [index, item] of (world.inviteCodes ?? []).entries()) {
    const path = ['inviteCodes', index]
    planner.add(
      { kind: 'inviteCode', by: item.by, item },
      {
        ...{ path, at: item.at, until: item.until },
        needs: [need('account', item.by, ...path, 'by')],
        as: { kind: 'invite code', name: item.id, path: [...path, 'id'] },
      },
    )
  }
  for (const [index, { name, inviteCode, email, emailConfirmed }] of world.accounts.entries()) {
    const path = ['accounts', index]
    const entry = entries[index]
    if (entry) planner.require(entry, needs('invite code', inviteCode, ...path, 'inviteCode'))
    if (!emailConfirmed) continue
    if (email === false) planner.problem([...path, 'emailConfirmed'], 'the account has no address')
    planner.add(
      { kind: 'confirmEmail', by: name },
      { path: [...path, 'emailConfirmed'], needs: [need('account', name, ...path)] },
    )
  }
}

function addLists(world: World, planner: Planner): void {
  for (const [index, item] of (world.lists ?? []).entries()) {
    const path = ['lists', index]
    const members = (item.members ?? []).map((name, at) => need('account', name, ...path, 'members', at))
    planner.add(
      { kind: 'list', by: item.by, item },
      {
        ...{ path, at: item.at, needs: [need('account', item.by, ...path, 'by'), ...members] },
        as: { kind: 'list', name: item.id, path: [...path, 'id'] },
      },
    )
  }
  for (const [index, item] of (world.starterPacks ?? []).entries()) {
    const path = ['starterPacks', index]
    planner.add(
      { kind: 'starterPack', by: item.by, item },
      {
        ...{ path, at: item.at },
        needs: [need('account', item.by, ...path, 'by'), need('list', item.list, ...path, 'list')],
        as: { kind: 'starter pack', name: item.id, path: [...path, 'id'] },
      },
    )
  }
  for (const [index, { name, profile }] of world.accounts.entries()) {
    if (!profile) continue
    const path = ['accounts', index, 'profile']
    const entry = planner.add(
      { kind: 'profile', by: name, item: profile },
      { path, needs: [need('account', name, ...path)] },
    )
    planner.require(entry, needs('starter pack', profile.joinedVia, ...path, 'joinedVia'))
  }
  for (const [index, { by, at, ...item }] of (world.profiles ?? []).entries()) {
    const path = ['profiles', index]
    planner.add({ kind: 'profile', by, item }, { path, at, needs: [need('account', by, ...path, 'by')] })
  }
}

function addPosts(world: World, planner: Planner): void {
  let after: number | undefined
  const entries = (world.posts ?? []).map((item, index) => {
    const path = ['posts', index]
    const entry = planner.add(
      { kind: 'post', by: item.by, item },
      {
        ...{ path, at: item.at, after, needs: [need('account', item.by, ...path, 'by')] },
        as: item.id === undefined ? undefined : { kind: 'post', name: item.id, path: [...path, 'id'] },
      },
    )
    after = entry.at
    return entry
  })
  for (const entry of entries) {
    if (entry.action.kind === 'post') planner.require(entry, needsOfPost(entry.action.item, entry.path))
  }
}

function needsOfPost({ text, reply, quote, allowReplies = [] }: WorldPost, path: Path): Need[] {
  return [
    ...mentionsIn(text).map((name) => need('account', name, ...path, 'text')),
    ...needs('post', reply, ...path, 'reply'),
    ...needs('post', quote, ...path, 'quote'),
    ...allowReplies.flatMap((rule, index) =>
      typeof rule === 'string' ? [] : [need('list', rule.list, ...path, 'allowReplies', index, 'list')],
    ),
  ]
}

function addDevices(world: World, planner: Planner): void {
  for (const [index, item] of (world.appPasswords ?? []).entries()) {
    const { by, name, at, until } = item
    const path = ['appPasswords', index]
    const as = { kind: 'app password', name: `${by}/${name}`, path: [...path, 'name'] } as const
    planner.add(
      { kind: 'appPassword', by, item },
      { path, at, until, as, needs: [need('account', by, ...path, 'by')] },
    )
  }
  for (const [index, item] of (world.sessions ?? []).entries()) {
    const { by, appPassword, at } = item
    const path = ['sessions', index]
    const password = appPassword === undefined ? undefined : `${by}/${appPassword}`
    const about = [
      need('account', by, ...path, 'by'),
      ...needs('app password', password, ...path, 'appPassword'),
    ]
    planner.add({ kind: 'session', by, item }, { path, at, needs: about })
  }
  for (const [index, { by, at }] of (world.seen ?? []).entries()) {
    const path = ['seen', index]
    for (const name of list(by))
      planner.add({ kind: 'seen', by: name }, { path, at, needs: [need('account', name, ...path, 'by')] })
  }
  for (const [index, { to, purpose, at }] of (world.codes ?? []).entries()) {
    const path = ['codes', index]
    if (world.accounts.some(({ name, email }) => name === to && email === false))
      planner.problem([...path, 'to'], `${to} has no address`)
    planner.add({ kind: 'code', by: to, purpose }, { path, at, needs: [need('account', to, ...path, 'to')] })
  }
}
