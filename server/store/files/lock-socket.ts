/** Sockets that mark a process as alive: the system closes them when it ends, also by SIGKILL and before it is reaped. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, stat, symlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** The process that listens on a socket; pid and host are absent if it stays silent. */
export interface Holder {
  readonly pid?: number
  /** Host name. Containers have their own, and their own pids. */
  readonly host?: string
}

/** Length of `sun_path` without its final zero byte: 104 on macOS, 108 on Linux. */
const maxPathBytes = 103

/** Listens on a path, a named pipe or an abstract socket, and answers each connection with this process's pid and host. */
export async function listen(address: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.unref().end(`${process.pid} ${hostname()}\n`)
  })
  server.listen(address)
  await once(server, 'listening')
  // An unhandled error would end the process, for example when a connection finds no free file descriptor.
  server.on('error', () => {})
  return server.unref()
}

/**
 * Asks the process that listens at an address for its pid, for up to `timeoutMs`. Returns undefined when no process
 * listens there. With 0 it only connects: a stopped process accepts connections, but does not answer.
 */
export function findHolder(address: string, timeoutMs: number): Promise<Holder | undefined> {
  const { promise, resolve: settle } = Promise.withResolvers<Holder | undefined>()
  const socket = connect(address).setEncoding('utf8')
  let answer = ''
  const end = (holder: Holder | undefined) => {
    socket.destroy()
    settle(holder)
  }
  socket.on('connect', () => (timeoutMs === 0 ? end({}) : socket.setTimeout(timeoutMs, () => end({}))))
  socket.on('data', (text) => {
    answer += text
  })
  socket.on('end', () => end(parseAnswer(answer)))
  // Any other error, such as a full queue or missing rights, shows that a process listens.
  socket.on('error', (error) => end(hasCode(error, 'ECONNREFUSED', 'ENOENT', 'ENOTSOCK') ? undefined : {}))
  return promise
}

function parseAnswer(answer: string): Holder {
  const [, pid, host] = /^(\d+) (.*)\n$/.exec(answer) ?? []
  return pid === undefined || host === undefined ? {} : { pid: Number(pid), host }
}

/** Calls `work` with a path of the directory that is short enough for a socket in it: itself, or a temporary link. */
export async function withSocketPath<T>(
  dir: string,
  longestName: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  if (Buffer.byteLength(join(dir, longestName)) <= maxPathBytes) return work(dir)
  const folder = await mkdtemp(join(tmpdir(), 'pds-'))
  try {
    const link = join(folder, 'd')
    await symlink(resolve(dir), link)
    return await work(link)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * A name for a directory among all sockets of the system: a named pipe on Windows, an abstract socket on Linux. The
 * system gives each to one listener at a time. Undefined where it has no such names (macOS).
 */
export function systemAddress(key: string, platform: NodeJS.Platform): string | undefined {
  if (platform === 'win32') return `\\\\.\\pipe\\${key}`
  return platform === 'linux' ? `\0${key}` : undefined
}

/** Identifies a directory by its volume and file number, which are the same on every path that leads to it. */
export async function directoryKey(dir: string): Promise<string> {
  const { dev, ino } = await stat(dir, { bigint: true })
  return `desktop-pds-${createHash('sha256').update(`${dev}:${ino}`).digest('hex').slice(0, 32)}`
}

/** Whether the error is one of the system's with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
