/** Work that is skipped while its sources are unchanged, so that every npm script can run it first. */
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

export interface Once {
  /** Patterns of the files that the result depends on, relative to the project. */
  readonly sources: readonly string[]
  /** The file that records the names and times of the sources. */
  readonly stamp: string
  /** Whether the result of the last run is still there. Always true by default. */
  readonly isDone?: () => boolean
}

/** Runs `work` unless its result is up to date. */
export async function once(options: Once, work: () => Promise<void> | void): Promise<void> {
  const { stamp, isDone = () => true } = options
  const sources = globSync([...options.sources], { cwd: root })
    .sort()
    .map((file) => `${file} ${statSync(join(root, file)).mtimeMs}`)
    .join('\n')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources && isDone()) return
  await work()
  writeFileSync(stamp, sources)
}
