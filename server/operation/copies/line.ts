/**
 * Which computer continues which line of history. The data directory remembers its line; a place says by claims which others there are.
 * A restored server begins a line with a higher generation, so the computer that it comes from notices that it is continued elsewhere.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Files, readIfThere, replaceFile } from '../../platform/store/files.ts'
import { copiesName, lineageName } from '../../platform/store/layout.ts'
import { createSerializer } from '../../platform/util/serialize.ts'
import { claimName, headName, type Line, lineName, listLines } from './catalog.ts'
import { CopyProblem } from './places/place.ts'
import { putJson, type Target } from './send.ts'

/** In the folder of copies: random names of this computer, a new one for each line that it begins. */
const writersName = 'writer'

/** The content of a claim. */
export interface Claim {
  readonly writer: string
  readonly at: string
}

/** Returns the names of this computer, the newest last. */
async function readWriters(files: Files, dir: string): Promise<string[]> {
  const bytes = await readIfThere(files, join(dir, copiesName, writersName))
  return Buffer.from(bytes ?? '')
    .toString()
    .split('\n')
    .filter((name) => name !== '')
}

/**
 * Gives this computer one more name. A copy of its data folder has the earlier ones too, so only the name of a line shows who began
 * it.
 */
async function addWriter(files: Files, dir: string): Promise<void> {
  const names = [...(await readWriters(files, dir)), randomBytes(16).toString('hex')]
  await replaceFile(files, join(dir, copiesName, writersName), Buffer.from(`${names.join('\n')}\n`))
}

/** Returns the line that the data continue; undefined if they begin a new one. */
export async function readLineOf(files: Files, dir: string): Promise<Line | undefined> {
  const bytes = await readIfThere(files, join(dir, copiesName, lineageName))
  if (!bytes) return undefined
  try {
    const { name, generation } = JSON.parse(Buffer.from(bytes).toString())
    return typeof name === 'string' && typeof generation === 'number' ? { name, generation } : undefined
  } catch {
    return undefined
  }
}

/** The line of the data, which all places share. */
export interface Lines {
  /** Undefined before the first copy. */
  current(): Line | undefined
  /** Begins a line with a generation above `above`, unless the current one is. */
  begin(above: number): Promise<Line>
  /** The names of this computer, the newest last. */
  writers(): readonly string[]
}

export async function shareLines(files: Files, dir: string): Promise<Lines> {
  const serialize = createSerializer()
  let line = await readLineOf(files, dir)
  let writers = await readWriters(files, dir)
  return {
    current: () => line,
    begin: (above) =>
      serialize(async () => {
        if (line && line.generation > above) return line
        line = await beginLine(files, dir, above + 1)
        writers = await readWriters(files, dir)
        return line
      }),
    writers: () => writers,
  }
}

/** Begins a line of the data. */
export async function beginLine(files: Files, dir: string, generation: number): Promise<Line> {
  const line = { name: lineName(generation, randomBytes(4).toString('hex')), generation }
  await files.makeDir(join(dir, copiesName))
  await addWriter(files, dir)
  await replaceFile(files, join(dir, copiesName, lineageName), Buffer.from(`${JSON.stringify(line)}\n`))
  return line
}

/**
 * Compares the line of the data with those at a place. Returns the line to continue there; undefined: the data must begin one with a
 * generation above `above`.
 * @throws CopyProblem `foreign`, `elsewhere`
 */
export async function lineAt(
  target: Target,
  line: Line | undefined,
  writers: readonly string[],
): Promise<{ readonly line: Line } | { readonly above: number }> {
  await checkHead(target)
  const [newest] = await listLines(target.place)
  if (!newest) return line ? { line } : { above: 0 }
  if (line && (newest.name === line.name || newest.generation < line.generation)) return { line }
  const claim = await readClaim(target, newest)
  // This computer began it, and has restored a backup since.
  if (claim && writers.includes(claim.writer)) return { above: newest.generation }
  throw new CopyProblem(
    'elsewhere',
    claim
      ? `Another computer has continued this server since ${claim.at.slice(0, 16).replace('T', ' ')} UTC.`
      : 'Another computer has continued this server.',
  )
}

/** Writes the claim of a line, unless it is there. */
export async function claim(target: Target, line: Line, { writer, at }: Claim): Promise<void> {
  if ((await target.place.get(claimName(line))) === undefined) {
    await putJson(target, claimName(line), { writer, at })
  }
}

/** Returns the claim of a line; undefined if it is missing or damaged. */
async function readClaim({ place, sealer }: Target, line: Line): Promise<Claim | undefined> {
  const name = claimName(line)
  const sealed = await place.get(name)
  if (!sealed) return undefined
  try {
    return JSON.parse(Buffer.from(await sealer.open(name, sealed)).toString())
  } catch (error) {
    if (error instanceof CopyProblem && error.kind === 'damaged') return undefined
    throw error
  }
}

/** Makes sure that a place has copies of this server, or none. */
async function checkHead(target: Target): Promise<void> {
  const { place, sealer } = target
  const head = await readHead(place).catch(async (error: unknown) => {
    const isDamaged = error instanceof CopyProblem && error.kind === 'damaged'
    // Cut off by the first attempt, or damaged since: then the claim is still ours.
    const [newest] = isDamaged ? await listLines(place) : []
    if (isDamaged && (!newest || (await readClaim(target, newest)))) return undefined
    throw error
  })
  if (head === undefined) {
    await place.put(headName, Buffer.from(`${JSON.stringify({ format: 1, key: sealer.fingerprint })}\n`))
  } else if (head.key !== sealer.fingerprint) {
    throw new CopyProblem(
      'foreign',
      'This place has the copy of another server. Choose another folder of it.',
    )
  }
}

/** Reads what a place says about its copies; undefined if it has none. @throws CopyProblem */
export async function readHead(
  place: Pick<Target['place'], 'get'>,
): Promise<{ readonly key: string } | undefined> {
  const bytes = await place.get(headName)
  if (bytes === undefined) return undefined
  const { format, key } = parse(bytes)
  if (typeof key !== 'string')
    throw new CopyProblem('damaged', `The object ${headName} of the copy is damaged.`)
  if (format === 1) return { key }
  throw new CopyProblem('invalid', 'A newer version of this program made the copy. Install it first.')
}

function parse(bytes: Uint8Array): { format?: unknown; key?: unknown } {
  try {
    return JSON.parse(Buffer.from(bytes).toString()) ?? {}
  } catch {
    return {}
  }
}
