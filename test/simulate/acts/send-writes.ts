/** Sends writes to a repository, and judges the answer by what the repository can have. */
import { type Commit, type History, type Left, storedOf } from '../model/history.ts'
import { filesIn, hasFile } from '../model/media.ts'
import type { Person } from '../model/person.ts'
import type { Answer, World } from '../world/world.ts'
import { Violation } from './act.ts'
import { renew } from './sessions.ts'

export interface Write {
  readonly action: 'create' | 'update' | 'put' | 'delete'
  readonly collection: string
  /** Undefined: the server chooses. */
  readonly rkey: string | undefined
  readonly value?: object
  /** CID that the record must have; null: it must be missing. */
  readonly swapRecord?: string | null
}

export interface Request {
  readonly method: 'createRecord' | 'putRecord' | 'deleteRecord' | 'applyWrites'
  readonly writes: readonly Write[]
  readonly swapCommit?: string | undefined
}

/** @returns what happened, in words */
export async function send(world: World, author: Person, request: Request): Promise<string> {
  const { machine, access: token } = author
  const words = wordsOf(author, request)
  const answer = await world.call(machine, `com.atproto.repo.${request.method}`, {
    input: inputOf(author, request),
    token,
  })
  const { status, body } = answer
  if (status !== 401 && body?.error !== 'ExpiredToken')
    return judge(world, author, { request, answer, words })
  if (body?.error !== 'ExpiredToken') throw new Violation(`${words}: ${status} ${JSON.stringify(body)}`)
  return `${words} → ExpiredToken, ${await renew(world, author)}`
}

export function wordsOf({ machine, name }: Person, { method, writes, swapCommit }: Request): string {
  return [
    `${machine.name}: ${name} ${method}`,
    ...writes.map(({ action, collection, rkey, swapRecord }) => {
      const swap = swapRecord === undefined ? '' : ` instead of ${swapRecord}`
      return `${method === 'applyWrites' ? `${action} ` : ''}${collection}/${rkey ?? '?'}${swap}`
    }),
    ...(swapCommit === undefined ? [] : [`after ${swapCommit}`]),
  ].join(' ')
}

interface Answered {
  readonly request: Request
  readonly answer: Answer
  readonly words: string
}

/** Judges the answer to a request of someone who may write. @returns what happened, in words */
export function judge(world: World, author: Person, { request, answer, words }: Answered): string {
  const { history } = author
  const { writes } = request
  const { status, body } = answer
  const now = world.time.clock.now().getTime()
  const wrong = (rule: string) => new Violation(`${words}: ${rule}, ${status} ${JSON.stringify(body)}`)
  if (status === 200) {
    const rule = note(author, request, body, now)
    if (rule !== undefined) throw wrong(rule)
  } else if (status === 0 || status >= 500) {
    history.lost(writes.map((write) => leftBy(write, undefined)))
    // Again without a key, it would be another record.
    if (writes.every(({ rkey }) => rkey !== undefined)) author.lost = request
  } else {
    const refusals = refusalsOf(author, request, now)
    const refusal = refusals[body?.error as keyof Refusals] ?? 'no'
    if (status !== 400 || refusal === 'no') throw wrong('is refused')
  }
  if (status !== 400) noteFileUse(author, request)
  return `${words} → ${status} ${body?.error ?? history.commits[0]?.rev ?? ''}`
}

export function inputOf({ did: repo }: Person, { method, writes, swapCommit }: Request): object {
  const swap = swapCommit !== undefined && { swapCommit }
  if (method === 'applyWrites') {
    const typed = writes.map(({ action, collection, rkey, value }) => ({
      $type: `com.atproto.repo.applyWrites#${action}`,
      ...{ collection, rkey, value },
    }))
    return { repo, writes: typed, ...swap }
  }
  const [{ collection, rkey, value: record, swapRecord } = writes[0] as Write] = writes
  return { repo, collection, rkey, record, swapRecord, ...swap }
}

export function leftBy({ collection, rkey, value }: Write, uri: string | undefined): Left {
  const path = rkey === undefined ? uri?.split('/').slice(3).join('/') : `${collection}/${rkey}`
  return { collection, path, stored: value && storedOf(value) }
}

/** An upload that a record has named goes with the record. */
function noteFileUse({ uploads, machine }: Person, { writes }: Request): void {
  for (const { value } of writes)
    for (const cid of filesIn(value)) {
      Object.assign(uploads.get(cid) ?? {}, { isUnused: false })
      machine.filesUsedAt.set(cid, Number.POSITIVE_INFINITY)
    }
}

/** Whether a request is refused for a reason. */
type Refusal = 'no' | 'maybe' | 'yes'

/** By the error: because of a swap, or because a record exists or is missing. */
interface Refusals {
  readonly InvalidSwap: Refusal
  readonly InvalidRequest: Refusal
  readonly BlobNotFound: Refusal
}

function refusalsOf(person: Person, { writes, swapCommit }: Request, now: number): Refusals {
  const { history } = person
  const swap: Refusal[] = []
  const existence: Refusal[] = []
  if (swapCommit !== undefined && swapCommit !== history.commits[0]?.cid) swap.push('yes')
  else if (swapCommit !== undefined && !history.isHeadKnown) swap.push('maybe')
  for (const { action, collection, rkey, swapRecord } of writes) {
    const before = rkey === undefined ? new Set([undefined]) : history.possible(`${collection}/${rkey}`)
    const unless = (fits: (cid: string | undefined) => boolean): Refusal => {
      const fitting = [...before].filter(fits).length
      if (fitting === 0) return 'yes'
      return fitting === before.size ? 'no' : 'maybe'
    }
    if (swapRecord !== undefined) swap.push(unless((cid) => (cid ?? null) === swapRecord))
    if (action === 'create') existence.push(unless((cid) => cid === undefined))
    if (action === 'update') existence.push(unless((cid) => cid !== undefined))
  }
  const areFilesThere = writes.every(({ value }) =>
    [...filesIn(value)].every((cid) => hasFile(person, cid, now)),
  )
  return {
    InvalidSwap: strongest(swap),
    InvalidRequest: strongest(existence),
    BlobNotFound: areFilesThere ? 'no' : 'maybe',
  }
}

function strongest(all: readonly Refusal[]): Refusal {
  if (all.includes('yes')) return 'yes'
  return all.includes('maybe') ? 'maybe' : 'no'
}

/** Notes an acknowledged request. @returns why the answer is wrong, if it is */
function note(author: Person, request: Request, body: Answer['body'], now: number): string | undefined {
  const { history, records, did } = author
  const { InvalidSwap, InvalidRequest } = refusalsOf(author, request, now)
  if (InvalidSwap === 'yes' || InvalidRequest === 'yes') return 'had to be refused'
  const results = request.method === 'applyWrites' ? body.results : [body]
  const left = request.writes.map((write, at) => leftBy(write, results[at]?.uri))
  for (const [at, { path, stored }] of left.entries()) {
    if (!stored) continue
    const { uri, cid } = results[at]
    if (cid !== stored.cid || uri !== `at://${did}/${path}`) return `${path} is ${stored.cid}`
  }
  const wrong = wrongCommit(history, left, body.commit)
  history.made(left, body.commit)
  for (const { path = '', stored } of left) {
    if (stored) records.set(path, stored)
    else records.delete(path)
  }
  return wrong
}

/** A commit follows the last one; there is one exactly if something has changed. */
function wrongCommit(
  history: History,
  left: readonly Left[],
  commit: Commit | undefined,
): string | undefined {
  const last = history.commits[0]
  if (commit && last && commit.rev <= last.rev) return `the revision was ${last.rev}`
  const changes = left.map(({ path = '', stored }) => {
    const before = history.possible(path)
    if (!before.has(stored?.cid)) return 'yes'
    return before.size === 1 ? 'no' : 'maybe'
  })
  if (!commit && changes.includes('yes')) return 'there is no commit'
  if (commit && !changes.includes('yes') && !changes.includes('maybe')) return 'nothing changed'
  return undefined
}
