/** A place outside of this computer that keeps objects: a folder, a WebDAV server or S3-compatible storage. */

/** One object, or a folder of objects. */
export interface Entry {
  /** The name without the folder. */
  readonly name: string
  /** Undefined for a folder. */
  readonly bytes: number | undefined
}

/** Names have letters, digits, `-`, `_` and `/`, which separates folders. All methods throw PlaceProblem. */
export interface Place {
  /** Lists the direct content of a folder; empty if it is missing. `''` is the place itself. */
  list(folder: string): Promise<Entry[]>
  /** Returns an object; undefined if there is none. */
  get(name: string): Promise<Uint8Array | undefined>
  /** Returns the size of an object in bytes; undefined if there is none. */
  size(name: string): Promise<number | undefined>
  /** Stores an object of at most 9 MiB, and its folders. When it resolves, the place has the whole object; before, none of it. */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Removes an object, or a folder with its content, if it is there. */
  remove(name: string): Promise<void>
  /** Gives an object a second name on the same disk, without reading it; only in the data directory. @throws PlaceProblem `damaged` if there is none */
  link?(name: string, to: string): Promise<void>
}

/**
 * The reason why a copy cannot be made or read. `unreachable`: a later request may succeed; `refused`: wrong password or missing
 * permission; `full`: no space; `invalid`: the address is not a WebDAV folder, bucket or directory; `damaged`: an object is missing or not as it was written;
 * `foreign`: it has the copy of another server; `empty`: it had the copy and has nothing now; `elsewhere`: another computer continues this server; `local`: this computer cannot
 * read its own data, or has no disk space.
 */
export type ProblemKind =
  | 'unreachable'
  | 'refused'
  | 'full'
  | 'invalid'
  | 'damaged'
  | 'foreign'
  | 'empty'
  | 'elsewhere'
  | 'local'

interface ProblemOptions extends ErrorOptions {
  readonly object?: string
  /** Milliseconds after which the place asks to be tried again. */
  readonly retryAfterMs?: number | undefined
  readonly since?: Date | undefined
}

/** The message is a sentence for people, without names of accounts. */
export class PlaceProblem extends Error {
  override name = 'PlaceProblem'
  readonly kind: ProblemKind
  /** Name of the damaged object. */
  readonly object: string | undefined
  readonly retryAfterMs: number | undefined
  /** When it began, if the place says so. */
  readonly since: Date | undefined

  constructor(kind: ProblemKind, message: string, options: ProblemOptions = {}) {
    super(message, options)
    this.kind = kind
    this.object = options.object
    this.retryAfterMs = options.retryAfterMs
    this.since = options.since
  }
}

/** Turns an error of this computer into a problem of kind `local`. */
export function toProblem(error: unknown): PlaceProblem {
  if (error instanceof PlaceProblem) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new PlaceProblem('local', `The data of this computer cannot be copied: ${reason}`, { cause: error })
}

export function isDamaged(error: unknown): error is PlaceProblem {
  return error instanceof PlaceProblem && error.kind === 'damaged'
}

/** Runs `work`. Returns undefined if an object is missing or damaged. @param isDamage decides which errors count as damage */
export async function ifUndamaged<T>(
  work: () => Promise<T>,
  isDamage: (error: unknown) => boolean = isDamaged,
): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (isDamage(error)) return undefined
    throw error
  }
}

/** The sign-in of a place, which its URL leaves out. */
export interface PlaceCredentials {
  /** WebDAV. */
  readonly password?: string
  /** S3. */
  readonly accessKeyId?: string
  readonly secretAccessKey?: string
}

export interface PlaceOptions {
  readonly credentials?: PlaceCredentials | undefined
  /** Most bytes per second that are sent; unlimited by default. */
  readonly bandwidth?: number | undefined
  readonly now?: () => Date
  /** Aborts requests. */
  readonly signal?: AbortSignal
  /** Milliseconds without progress after which a server counts as unreachable; a minute by default. */
  readonly idleMs?: number
}
