/**
 * One process per data directory. `pds.lock` names its holder; the lock of a process that is gone is taken
 * over.
 *
 * No two takers can both succeed. Each first puts up a claim, then looks for other claims, then at the lock,
 * and only then renames its claim to the lock. Of two takers, the one who put up its claim later sees the
 * other's claim or, once renamed, its lock.
 */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { StoreLocked } from './errors.ts'
import { type Files, readIfThere, writeFully } from './files.ts'
import { lockName } from './layout.ts'

export interface Lock {
  release(): Promise<void>
}

interface Holder {
  readonly pid: number
  /**
   * When the process started, as the system tells it, since a pid is used again; '-' where it does not tell.
   */
  readonly started: string
  readonly token: string
}

/** Takers that come at the same moment step back for up to `pause` ms and try again, this many times. */
const tries = 100
const pause = 50

/**
 * The locks and claims of this process. One with its pid and another token is from an earlier life of that
 * pid.
 */
const ownTokens = new Set<string>()
let ownStart: Promise<string | undefined> | undefined

/** Takes the lock of a directory. Throws StoreLocked when a live process, or this one, holds it. */
export async function acquireLock(files: Files, dir: string): Promise<Lock> {
  ownStart ??= startOf(process.pid)
  const own = { pid: process.pid, started: (await ownStart) ?? '-', token: randomUUID() }
  ownTokens.add(own.token)
  try {
    await take(files, dir, own)
  } catch (error) {
    ownTokens.delete(own.token)
    throw error
  }
  return {
    async release() {
      ownTokens.delete(own.token)
      // One that stays behind is nobody's and will be taken over.
      await files.remove(join(dir, lockName)).catch(() => {})
    },
  }
}

async function take(files: Files, dir: string, own: Holder): Promise<void> {
  const lock = join(dir, lockName)
  const claim = join(dir, claimName(own))
  for (let attempt = 1; ; attempt++) {
    await writeClaim(files, claim, own)
    try {
      const rival = await liveRival(files, dir, own)
      const holder = parseHolder(await readIfThere(files, lock))
      if (holder !== undefined && (await isAlive(holder))) throw new StoreLocked(dir, holder.pid)
      if (rival === undefined) return await files.rename(claim, lock)
      if (attempt === tries) throw new StoreLocked(dir, rival.pid)
    } catch (error) {
      await files.remove(claim)
      throw error
    }
    await files.remove(claim)
    await setTimeout(Math.random() * pause)
  }
}

async function writeClaim(files: Files, path: string, own: Holder): Promise<void> {
  const file = await files.create(path)
  try {
    await writeFully(file, Buffer.from(`${claimName(own)}\n`), 0)
  } finally {
    await file.close()
  }
}

/** A live process that claims the lock too. Claims of dead ones are cleared away. */
async function liveRival(files: Files, dir: string, own: Holder): Promise<Holder | undefined> {
  for (const name of await files.list(dir)) {
    const claimant = parseHolder(name)
    if (claimant === undefined || claimant.token === own.token) continue
    if (await isAlive(claimant)) return claimant
    await files.remove(join(dir, name))
  }
  return undefined
}

/**
 * A claim says everything in its name, so that it is whole as soon as it is there; the lock says the same in
 * its content.
 */
function claimName({ pid, started, token }: Holder): string {
  return `${lockName}.${pid}.${started}.${token}`
}

/**
 * Undefined for what is neither: a lock that a power cut left empty belonged to a process that is gone as
 * well.
 */
function parseHolder(text: string | Uint8Array | undefined): Holder | undefined {
  const [, pid, started, token] =
    /^pds\.lock\.(\d+)\.([\w-]+)\.([\w-]+)\s*$/.exec(Buffer.from(text ?? '').toString()) ?? []
  if (pid === undefined || started === undefined || token === undefined) return undefined
  return { pid: Number(pid), started, token }
}

async function isAlive({ pid, started, token }: Holder): Promise<boolean> {
  if (pid === process.pid) return ownTokens.has(token)
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it lives, as another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  const start = await startOf(pid)
  return start === undefined || started === '-' || start === started
}

/** Boot and clock tick at which a process started, where the system tells (Linux). */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // proc(5): field 22, counted from the one after the program's name, which may hold anything in its
    // parentheses.
    const tick = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${boot.trim()}-${tick}`
  } catch {
    return undefined
  }
}
