/** Words about runs. */
import { execFileSync } from 'node:child_process'
import type { Cost, Report } from './worker.ts'

/** Returns where two traces of a seed differ; undefined if they are the same. */
export function differenceOf(one: readonly string[], other: readonly string[]): string | undefined {
  const i = Array.from({ length: Math.max(one.length, other.length) }, (_, i) => i).find(
    (i) => one[i] !== other[i],
  )
  return i === undefined ? undefined : `two runs differ: ${one[i]}\n${' '.repeat(9)}other run: ${other[i]}`
}

/** Returns a table of the CPU time per seed of each kind of act. */
export function costsOf(reports: readonly Report[]): string {
  const sums = new Map<string, Cost>()
  for (const [act, { count, cpuMs }] of reports.flatMap(({ costs }) => Object.entries(costs))) {
    const before = sums.get(act) ?? { count: 0, cpuMs: 0 }
    sums.set(act, { count: before.count + count, cpuMs: before.cpuMs + cpuMs })
  }
  const perSeed = (value: number) => (value / reports.length).toFixed(1).padStart(9)
  const lines = [...sums]
    .sort(([, a], [, b]) => b.cpuMs - a.cpuMs)
    .map(
      ([act, { count, cpuMs }]) =>
        `${act.padEnd(20)}${perSeed(cpuMs)}${perSeed(count)}${(cpuMs / count).toFixed(2).padStart(9)}`,
    )
  const heap = Math.max(...reports.map(({ heapBytes }) => heapBytes))
  return [
    `${'act'.padEnd(20)}  ms/seed   n/seed  ms each`,
    ...lines,
    `heap after a seed: at most ${Math.round(heap / 1e6)} MB`,
  ].join('\n')
}

/** The commit of the sources, and whether they were changed since. */
export function commitOf(): string {
  const stdio = ['ignore', 'pipe', 'ignore'] as const
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: [...stdio] }).trim()
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with changes'
    return `${git('rev-parse', '--short', 'HEAD')}${changed}`
  } catch {
    // Sources of an archive.
    return 'unknown'
  }
}
