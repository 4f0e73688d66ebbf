/** A measurement step by step, so that a thread can report each result. */
import { requirements } from './requirements.ts'
import { measuring, type Report, type Result } from './runner.ts'
import type { TargetOptions } from './target.ts'

/** The same for each step. */
export type StepJob = TargetOptions

export interface Step {
  /** The number of requirements. */
  readonly total: number
  /** Undefined after the last one. */
  readonly result: Result | undefined
  /** After the last one: why the others were not tried. */
  readonly ended: Report['ended']
}

/** @returns a function that measures the next requirement */
export function createSteps(): (job: StepJob) => Promise<Step> {
  let results: AsyncGenerator<Result, Report> | undefined
  return async (options) => {
    results ??= measuring({ ...options, requirements })
    const { done, value } = await results.next()
    const total = requirements.length
    return done
      ? { total, result: undefined, ended: value.ended }
      : { total, result: value, ended: undefined }
  }
}
