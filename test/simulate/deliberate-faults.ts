/** The deliberate faults: patches of the product that the simulation must find. The lines before the patch say what it does. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface DeliberateFault {
  readonly name: string
  /** Path of the patch. */
  readonly patch: string
  readonly words: string
}

const folder = join(import.meta.dirname, 'faults')

export function deliberateFaults(): DeliberateFault[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.patch'))
  return names.sort().map((file) => {
    const patch = join(folder, file)
    const [words = ''] = readFileSync(patch, 'utf8').split('\n\n')
    return { name: file.replace(/\.patch$/, ''), patch, words }
  })
}
