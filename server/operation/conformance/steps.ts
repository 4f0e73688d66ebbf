/** A measurement step by step, so that a thread can report each result. */
import { createHttp } from './http.ts'
import { requirements } from './requirements.ts'
import { measuring, type Report, type Result } from './runner.ts'
import type { TargetOptions } from './target.ts'

/** The same for each step. */
export interface StepJob extends TargetOptions {
  /** An account that only the right server has. */
  readonly did: string
}

export interface Step {
  /** The number of requirements. */
  readonly total: number
  /** Undefined after the last one. */
  readonly result: Result | undefined
  /** What could not be deleted at the end. */
  readonly leftovers: readonly string[]
}

/** @returns a function that measures the next requirement @throws WrongServer before the first one */
export function createSteps(): (job: StepJob) => Promise<Step> {
  let results: AsyncGenerator<Result, Report> | undefined
  return async ({ did, ...options }) => {
    if (!results) await expectServer(options.url, did)
    results ??= measuring({ ...options, requirements })
    const { done, value } = await results.next()
    const total = requirements.length
    return done
      ? { total, result: undefined, leftovers: value.leftovers }
      : { total, result: value, leftovers: [] }
  }
}

/** The address leads to no server, or to another one, which must not be measured. */
export class WrongServer extends Error {
  override readonly name = 'WrongServer'
}

async function expectServer(url: string, did: string): Promise<void> {
  const query = { did }
  const answer = await createHttp(url)
    .send('/xrpc/com.atproto.sync.getRepoStatus', { query })
    .catch((error: Error) => {
      throw new WrongServer(error.message)
    })
  if (answer.json?.did !== did) throw new WrongServer(`${url} is another server, or answers ${answer.status}`)
}
