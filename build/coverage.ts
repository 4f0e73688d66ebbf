/**
 * `npm run coverage`: runs the tests, prints the line coverage of each server file and fails if one is below 90 %. Counts code that
 * runs in Vitest, and in the processes and worker threads that tests start.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

const minimum = 90

const root = join(import.meta.dirname, '..')
const folder = join(root, 'coverage')
/** Node.js writes here when the variable NODE_V8_COVERAGE names it. */
const processFolder = join(folder, 'processes')

/** Coverage of a file as Vitest writes it, in the format of Istanbul. */
interface FileCoverage {
  readonly statementMap: Readonly<Record<string, { start: Position; end: Position }>>
  /** How often each statement ran. */
  readonly s: Readonly<Record<string, number>>
}
interface Position {
  /** From 1. */
  readonly line: number
  /** From 0. */
  readonly column: number
}

/** Coverage of a process as V8 writes it. Inner ranges follow outer ones. */
interface ProcessCoverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly { readonly ranges: readonly Range[] }[]
  }[]
}
interface Range {
  readonly startOffset: number
  readonly endOffset: number
  readonly count: number
}

rmSync(folder, { recursive: true, force: true })
const tests = spawnSync(
  process.execPath,
  [join(import.meta.dirname, 'test.ts'), '--coverage', ...process.argv.slice(2)],
  { env: { ...process.env, PDS_COVERAGE_DIR: processFolder }, stdio: 'inherit' },
)

const files: Record<string, FileCoverage> = JSON.parse(
  readFileSync(join(folder, 'coverage-final.json'), 'utf8'),
)
const processes = readProcesses()
const rows = Object.entries(files)
  .map(([file, coverage]) => ({ file: relative(root, file), ...countLines(file, coverage) }))
  .sort((a, b) => a.percent - b.percent)
for (const { file, percent, missing } of rows) {
  process.stdout.write(`${percent.toFixed(1).padStart(5)} %  ${file.padEnd(50)} ${ranges(missing)}\n`)
}
const below = rows.filter(({ percent }) => percent < minimum)
process.stdout.write(
  `${rows.length} files, ${below.length} below ${minimum} % of lines; all lines ${all(rows).toFixed(1)} %\n`,
)
process.exitCode = tests.status || (below.length > 0 ? 1 : 0)

/** Returns the scripts that child processes and worker threads ran, by URL. */
function readProcesses() {
  const prefix = pathToFileURL(join(root, 'server')).href
  const scripts = readdirSync(processFolder)
    .map((name): ProcessCoverage => JSON.parse(readFileSync(join(processFolder, name), 'utf8')))
    .flatMap(({ result }) => result.filter(({ url }) => url.startsWith(prefix)))
  return Map.groupBy(scripts, ({ url }) => url)
}

/** A line is covered if a statement that starts on it ran. */
function countLines(file: string, { statementMap, s }: FileCoverage) {
  const scripts = processes.get(pathToFileURL(file).href) ?? []
  const lineStarts = [0]
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    lineStarts.push((lineStarts.at(-1) ?? 0) + line.length + 1)
  }
  const lines = new Map<number, boolean>()
  for (const [id, { start }] of Object.entries(statementMap)) {
    // Node.js replaces types by spaces, so that an offset is the same in the source.
    const offset = (lineStarts[start.line - 1] ?? 0) + start.column
    const ran = (s[id] ?? 0) > 0 || scripts.some(({ functions }) => ranAt(functions, offset))
    lines.set(start.line, ran || (lines.get(start.line) ?? false))
  }
  const missing = [...lines].filter(([, ran]) => !ran).map(([line]) => line)
  const total = lines.size
  return { total, missing, percent: total === 0 ? 100 : (100 * (total - missing.length)) / total }
}

/** Whether the code at an offset ran: the smallest range around it has its count. */
function ranAt(functions: readonly { readonly ranges: readonly Range[] }[], offset: number): boolean {
  const around = functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset)
    .sort((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset))
  return (around[0]?.count ?? 0) > 0
}

function all(rows: readonly { total: number; missing: readonly number[] }[]): number {
  const total = rows.reduce((sum, row) => sum + row.total, 0)
  return (100 * (total - rows.reduce((sum, { missing }) => sum + missing.length, 0))) / total
}

/** Formats line numbers: `[1, 2, 3, 7]` as `1-3 7`. */
function ranges(lines: readonly number[]): string {
  const sorted = lines.toSorted((a, b) => a - b)
  const starts = sorted.filter((line, i) => sorted[i - 1] !== line - 1)
  const ends = sorted.filter((line, i) => sorted[i + 1] !== line + 1)
  return starts.map((start, i) => (start === ends[i] ? start : `${start}-${ends[i]}`)).join(' ')
}
