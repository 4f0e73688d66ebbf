/** Plans what accounts do to posts and to other accounts: reactions, follows, blocks, subscriptions. */
import type { Path } from './errors.ts'
import { list, need, needs } from './needs.ts'
import type { Planner } from './planner.ts'
import type { World } from './schema.ts'
import type { Action } from './steps.ts'

export function addReactions(world: World, planner: Planner): void {
  const reposts = [...(world.reposts ?? []).entries()]
  // A repost through another one follows it.
  const ordered = [...reposts.filter(([, { via }]) => !via), ...reposts.filter(([, { via }]) => via)]
  for (const [index, { by, id, post, via, at, until }] of ordered) {
    const path = ['reposts', index]
    if (id !== undefined && list(by).length > 1)
      planner.problem([...path, 'id'], 'belongs to the repost of one account, but `by` has several')
    const actors = once(planner, list(by), [...path, 'by'], `repost ${post} ${via}`, until)
    for (const [place, name] of actors) {
      const as = id === undefined ? undefined : ({ kind: 'repost', name: id, path: [...path, 'id'] } as const)
      const about = [...needs('post', post, ...path, 'post'), ...needs('repost', via, ...path, 'via')]
      planner.add(
        { kind: 'repost', by: name, id, post, via },
        { path, at, until, as, needs: [need('account', name, ...place), ...about] },
      )
    }
  }
  for (const [index, { by, post, via, at, until }] of (world.likes ?? []).entries()) {
    const path = ['likes', index]
    for (const [place, name] of once(planner, list(by), [...path, 'by'], `like ${post}`, until)) {
      const about = [...needs('post', post, ...path, 'post'), ...needs('repost', via, ...path, 'via')]
      planner.add(
        { kind: 'like', by: name, post, via },
        { path, at, until, needs: [need('account', name, ...place), ...about] },
      )
    }
  }
}

/** Names with their paths. Reports those that do the same twice, if it stays. */
function once(
  planner: Planner,
  names: readonly string[],
  path: Path,
  what: string,
  until: string | undefined,
): [Path, string][] {
  return names.map((name, index) => {
    const place = names.length > 1 ? [...path, index] : path
    if (until === undefined && planner.isRepeated(`${name} ${what}`))
      planner.problem(place, `${name} does the same twice`)
    return [place, name]
  })
}

interface Pairs {
  readonly by: string | readonly string[]
  readonly of?: string | readonly string[] | undefined
  readonly list?: string | undefined
  readonly at?: string | undefined
  readonly until?: string | undefined
}

export function addGraph(world: World, planner: Planner): void {
  for (const [index, item] of (world.follows ?? []).entries())
    addPairs(planner, ['follows', index], item, 'follow', (by, of) => ({ kind: 'follow', by, of }))
  for (const [index, item] of (world.blocks ?? []).entries())
    addListPairs(planner, ['blocks', index], item, 'block')
  for (const [index, item] of (world.mutes ?? []).entries())
    addListPairs(planner, ['mutes', index], item, 'mute')
  for (const [index, item] of (world.subscriptions ?? []).entries()) {
    const { posts = true, replies = false } = item
    addPairs(planner, ['subscriptions', index], item, 'subscribe to', (by, of) => ({
      ...{ kind: 'subscription', by, of, posts, replies },
    }))
  }
  for (const [index, item] of (world.verifications ?? []).entries())
    addPairs(planner, ['verifications', index], item, 'verify', (by) => ({ kind: 'verification', by, item }))
}

/** Adds a step for each pair of accounts. Lists may contain the actor, who is left out. */
function addPairs(
  planner: Planner,
  path: Path,
  { by, of = [], at, until }: Pairs,
  verb: string,
  action: (by: string, of: string) => Action,
): void {
  for (const name of list(by)) {
    if (name === of) planner.problem([...path, 'of'], `${name} cannot ${verb} itself`)
    const others = list(of).filter((other) => other !== name)
    for (const [place, other] of once(planner, others, [...path, 'of'], `${name} ${verb}`, until)) {
      const about = [need('account', name, ...path, 'by'), need('account', other, ...place)]
      planner.add(action(name, other), { path, at, until, needs: about })
    }
  }
}

function addListPairs(planner: Planner, path: Path, item: Pairs, kind: 'block' | 'mute'): void {
  const { by, of, list: id, at, until } = item
  if ((of === undefined) === (id === undefined)) planner.problem(path, 'needs either `of` or `list`')
  addPairs(planner, path, item, kind, (name, other) => ({ kind, by: name, of: other }))
  if (id === undefined) return
  for (const name of list(by)) {
    const about = [need('account', name, ...path, 'by'), need('list', id, ...path, 'list')]
    planner.add({ kind: `${kind}List`, by: name, list: id }, { path, at, until, needs: about })
  }
}
