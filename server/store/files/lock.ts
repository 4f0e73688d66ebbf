/**
 * One process per data directory. The lock is a socket on which its holder listens, so the system itself releases it
 * when the process ends. No pid is compared: pids are reused, and killed processes keep theirs until they are reaped.
 *
 * The socket is the file `pds.lock`, which processes in other containers of the machine find too. On Windows, and where the
 * file system has no sockets, it is a named pipe or an abstract socket, which other containers do not see.
 */
import { statSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, utimes } from 'node:fs/promises'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clearHeartbeat, pause, realElapsed, realTime, setHeartbeat } from '../../util/deadlines.ts'
import { randomFraction, temporaryName } from '../../util/random.ts'
import { lockName } from './layout.ts'
import { directoryKey, findHolder, hasCode, listen, systemAddress, withSocketPath } from './lock-socket.ts'
import { StoreLocked } from './store-errors.ts'

export interface Lock {
  /** Whether this process still has it: people and cleaners remove files. Takes some microseconds. */
  isHeld(): Promise<boolean>
  release(): Promise<void>
}

/** Processes that claim the lock at the same moment wait for up to `pauseMs` and try again, this many times. */
const tries = 100
const pauseMs = 50
/** After this time, a silent holder is reported without its pid. */
const answerMs = 5_000
/** Programs that clean temporary folders remove files that are older than some days. */
const touchMs = 60 * 60_000
/** Error codes of file systems without sockets, and of paths that are too long for a socket. */
const noSocketCodes = ['EPERM', 'EACCES', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', 'EINVAL', 'ENAMETOOLONG']

/** Takes the lock of an existing directory. Throws StoreLocked when a live process, or this one, holds it. */
export async function acquireLock(dir: string, platform = process.platform): Promise<Lock> {
  if (platform === 'win32') return acquireSystemLock(dir, platform)
  try {
    return await acquireFileLock(dir, dir)
  } catch (error) {
    if (!hasCode(error, ...noSocketCodes)) throw error
    return acquireSystemLock(dir, platform)
  }
}

/**
 * Takes the lock of `dir` as a file in `folder`. Two processes cannot both succeed: each first listens on a claim, a socket
 * beside the lock, then looks for other claims, then at the lock, and only then renames its claim to the lock. The process
 * with the later claim therefore finds the other's claim or, once renamed, its lock.
 */
export function acquireFileLock(dir: string, folder: string): Promise<Lock> {
  return withSocketPath(folder, newClaimName(), async (path) => {
    for (let attempt = 1; ; attempt++) {
      const claim = newClaimName()
      const server = await listen(join(path, claim))
      try {
        if (await tryClaim(dir, path, claim, attempt === tries)) return fileLock(server, folder)
      } catch (error) {
        await withdraw(server, join(path, claim))
        throw error
      }
      await withdraw(server, join(path, claim))
      await pause(randomFraction() * pauseMs)
    }
  })
}

/** The lock that the file in `folder` is, which `server` listens on. */
function fileLock(server: Server, folder: string): Lock {
  const file = join(folder, lockName)
  const own = identityOf(file)
  const touch = () => utimes(file, new Date(realTime()), new Date(realTime())).catch(() => {})
  const touching = setHeartbeat(() => void touch(), touchMs).unref()
  const isHeld = async () => {
    try {
      const identity = identityOf(file)
      // Some file systems number the same file anew.
      return identity === own || (identity !== undefined && (await answersAt(server, folder)))
    } catch {
      // Nothing is known: the disk fails.
      return true
    }
  }
  return {
    isHeld,
    async release() {
      clearHeartbeat(touching)
      // Removed while it still listens: afterwards the file may be the lock of the next process.
      if (await isHeld()) await withdraw(server, file)
      else server.close()
    },
  }
}

/** Identifies a file by its volume and number; undefined if there is none. */
function identityOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}

/** Whether a connection to the lock in `folder` reaches this server. */
async function answersAt(server: Server, folder: string): Promise<boolean> {
  let isReached = false
  const note = () => {
    isReached = true
  }
  server.on('connection', note)
  await withSocketPath(folder, lockName, (path) => findHolder(join(path, lockName), answerMs))
  server.off('connection', note)
  return isReached
}

/** Renames the claim to the lock. Returns false if another process has a claim, or removed this one as dead. */
async function tryClaim(dir: string, path: string, claim: string, isLast: boolean): Promise<boolean> {
  try {
    await chmod(join(path, claim), 0o600)
    const rival = await findLiveClaim(path, claim)
    await assertFree(dir, join(path, lockName))
    if (rival === undefined) {
      await rename(join(path, claim), join(path, lockName))
      return true
    }
    if (isLast) await assertFree(dir, join(path, rival))
    return false
  } catch (error) {
    // Another process removed the claim: it looked after the socket was created and before it listened.
    if (!isLast && hasCode(error, 'ENOENT')) return false
    throw error
  }
}

/** Returns another process's claim; removes the claims of dead processes. */
async function findLiveClaim(path: string, own: string): Promise<string | undefined> {
  for (const name of await readdir(path)) {
    if (!name.startsWith(`${lockName}.`) || name === own) continue
    if ((await findHolder(join(path, name), 0)) !== undefined) return name
    await rm(join(path, name), { force: true })
  }
  return undefined
}

/** Takes the lock as a named pipe or an abstract socket; on macOS, which has neither, as a file in the temporary folder. */
export async function acquireSystemLock(dir: string, platform = process.platform): Promise<Lock> {
  const key = await directoryKey(dir)
  const address = systemAddress(key, platform)
  if (address === undefined) {
    const folder = join(tmpdir(), key)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return acquireFileLock(dir, folder)
  }
  for (let attempt = 1; ; attempt++) {
    // Wine lets a second process listen on a named pipe.
    await assertFree(dir, address)
    try {
      const server = await listen(address)
      return { isHeld: async () => true, release: async () => void server.close() }
    } catch (error) {
      if (!hasCode(error, 'EADDRINUSE')) throw error
    }
    if (attempt === tries) throw new StoreLocked(dir)
    await pause(randomFraction() * pauseMs)
  }
}

/**
 * Throws StoreLocked when a process listens. A process that closes the connection without an answer is asked again: it
 * may be ending, because the threads of a killed process end one after the other.
 */
async function assertFree(dir: string, address: string): Promise<void> {
  const deadline = realElapsed() + answerMs
  for (;;) {
    const holder = await findHolder(address, answerMs)
    if (holder === undefined) return
    if (holder.pid !== undefined || realElapsed() >= deadline) {
      throw new StoreLocked(dir, holder.pid, holder.host)
    }
    await pause(pauseMs)
  }
}

async function withdraw(server: Server, file: string): Promise<void> {
  // A file that stays behind is harmless: nothing listens on it.
  await rm(file, { force: true }).catch(() => {})
  server.close()
}

function newClaimName(): string {
  return `${lockName}.${temporaryName(6)}`
}
