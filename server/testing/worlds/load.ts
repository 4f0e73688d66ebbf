/**
 * Loads a world into the servers of a network, by calls that any client makes, one after another, so that the same world gives the
 * same records.
 */
import { act } from './actions.ts'
import { checkSchema } from './check.ts'
import { sourceOf, throwProblems, WorldError } from './errors.ts'
import type { Loading, Ref, Undo } from './loading.ts'
import { createMembers, type Member, type WorldDeps } from './members.ts'
import { isFile, pictureOf } from './pictures.ts'
import { planWorld } from './plan.ts'
import { type World, worldSchema } from './schema.ts'
import type { Action } from './steps.ts'

export interface LoadedAccount {
  readonly did: string
  readonly handle: string
  readonly password: string
  readonly email: string | undefined
  /** Position of its server. */
  readonly server: number
  /** App passwords by name. */
  readonly appPasswords: Readonly<Record<string, string>>
  /** The session that wrote its records. */
  readonly session: { readonly accessJwt: string; readonly refreshJwt: string }
}

/** The parts of a world by the names and ids that it uses. */
export interface LoadedWorld {
  readonly accounts: Readonly<Record<string, LoadedAccount>>
  readonly posts: Readonly<Record<string, Ref>>
  readonly lists: Readonly<Record<string, Ref>>
  readonly starterPacks: Readonly<Record<string, Ref>>
  readonly inviteCodes: Readonly<Record<string, string>>
  /** Number of records that were written. */
  readonly records: number
}

/**
 * @param end the present of the world, to which its times are relative; the present of the network by default
 * @throws WorldError if the world has errors, before the first call; also if a call fails, then of its place in the world
 */
export async function loadWorld(world: World, deps: WorldDeps, end = deps.now()): Promise<LoadedWorld> {
  throwProblems(world, checkSchema(worldSchema, world))
  const steps = planWorld(world, end)
  const loading = new WorldLoading(deps, sourceOf(world)?.file)
  const undo = new Map<Action, Undo>()
  for (const step of steps) {
    await loading.begin(step.at)
    try {
      const { action } = step
      if (action.kind === 'undo') await undo.get(action.undoes)?.()
      const undone = await act(loading, action)
      if (undone) undo.set(action, undone)
    } catch (error) {
      const problem = { path: step.path, reason: (error as Error).message }
      throw new WorldError([problem], sourceOf(world), { cause: error })
    }
  }
  if (deps.now() < end) await deps.passUntil?.(end)
  return loading.result()
}

class WorldLoading implements Loading {
  readonly deps: WorldDeps
  readonly members
  readonly posts = new Map<string, Ref>()
  readonly roots = new Map<string, Ref>()
  readonly lists = new Map<string, Ref>()
  readonly starterPacks = new Map<string, Ref>()
  readonly reposts = new Map<string, Ref>()
  readonly inviteCodes = new Map<string, string>()
  readonly #file: string | undefined
  #records = 0
  /** Milliseconds since 1970. */
  #time = 0

  constructor(deps: WorldDeps, file: string | undefined) {
    this.deps = deps
    this.members = createMembers(deps)
    this.#file = file
  }

  /** Begins a step. No two have the same time, so that records have an order. */
  async begin(at: Date): Promise<void> {
    if (this.deps.now() < at) await this.deps.passUntil?.(at)
    this.#time = Math.max(at.getTime(), this.#time + 1)
  }

  async write(by: string, collection: string, record: object, rkey?: string): Promise<Ref> {
    this.#records++
    const input = {
      ...{ repo: this.members.get(by).did, collection, ...(rkey !== undefined && { rkey }) },
      record: { $type: collection, ...record, createdAt: new Date(this.#time).toISOString() },
    }
    const isReplaced = collection === 'app.bsky.actor.profile'
    const method = isReplaced ? 'com.atproto.repo.putRecord' : 'com.atproto.repo.createRecord'
    const { uri, cid } = await this.members.call(by, method, { input })
    return { uri, cid }
  }

  remove(by: string, { uri }: Ref): Promise<unknown> {
    const [repo, collection, rkey] = uri.split('/').slice(2)
    const input = { repo, collection, rkey }
    return this.members.call(by, 'com.atproto.repo.deleteRecord', { input })
  }

  async upload(...[by, given, defaults]: Parameters<Loading['upload']>) {
    if (this.deps.readsFiles === false && isFile(given))
      throw new Error('a world that is sent has no picture files: give a colour (#3b82f6) or a drawing')
    const { bytes, type, size } = await pictureOf(given, { ...defaults, file: this.#file })
    const { blob } = await this.members.call(by, 'com.atproto.repo.uploadBlob', { bytes, type })
    return { blob, size }
  }

  async result(): Promise<LoadedWorld> {
    const accounts: [string, LoadedAccount][] = []
    for (const [name, member] of this.members.all) accounts.push([name, await this.#shown(member)])
    return {
      accounts: Object.fromEntries(accounts),
      posts: Object.fromEntries(this.posts),
      lists: Object.fromEntries(this.lists),
      starterPacks: Object.fromEntries(this.starterPacks),
      inviteCodes: Object.fromEntries(this.inviteCodes),
      records: this.#records,
    }
  }

  async #shown(member: Member): Promise<LoadedAccount> {
    // Other accounts cannot use their session.
    if (member.account.state === undefined) await this.members.refresh(member)
    const { did, handle, password, email, server, tokens } = member
    const { accessJwt, refreshJwt } = tokens
    const appPasswords = Object.fromEntries(member.appPasswords)
    return { did, handle, password, email, server, appPasswords, session: { accessJwt, refreshJwt } }
  }
}
