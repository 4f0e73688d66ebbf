/**
 * The deliberate faults: patches of the product that the simulation must find. The first line says what the patch does, the second one
 * may name the scenario that finds it soon: `Scenario: power`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Scenario, scenarios } from './scenarios.ts'

export interface DeliberateFault {
  readonly name: string
  /** Path of the patch. */
  readonly patch: string
  readonly words: string
  readonly scenario: Scenario
}

const folder = join(import.meta.dirname, 'faults')

export function deliberateFaults(): DeliberateFault[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.patch'))
  return names.sort().map((file) => {
    const patch = join(folder, file)
    const [words = '', second = ''] = readFileSync(patch, 'utf8').split('\n')
    const scenario = /^Scenario: (.*)$/.exec(second)?.[1] ?? 'all'
    if (!(scenario in scenarios)) throw new Error(`${file}: there is no scenario ${scenario}`)
    return { name: file.replace(/\.patch$/, ''), patch, words, scenario: scenario as Scenario }
  })
}
