/** Runs one server after the other in this process: a change of its places, or a restore, stops it and starts it again. */
import type { RunningServer } from '../../server.ts'
import { createSerializer } from '../../util/serialize.ts'

export type Ports = Pick<RunningServer, 'port' | 'proxyPort'>

export interface Runner {
  start(): Promise<RunningServer>
  restart(): Promise<void>
  /**
   * Runs work while the server is stopped, and starts it again, also after a failure.
   * @param undo takes the work back if the server does not start after it. Then the server starts without it, and the call fails
   */
  whileStopped<T>(work: () => Promise<T>, undo?: (done: T) => Promise<unknown>): Promise<T>
  /**
   * Stops it for good. Returns at once while the server is stopped for work: an interrupted restore is left, or the next start finishes it.
   */
  stop(): Promise<'stopped' | 'interrupted'>
}

/**
 * @param startOn starts a server, after the first one on the same ports: pages that are open stay connected
 * @param onFailed called if it does not start again
 */
export function createRunner(
  startOn: (ports?: Ports) => Promise<RunningServer>,
  onFailed: (error: unknown) => void,
): Runner {
  const serialize = createSerializer()
  let running: RunningServer | undefined
  let isEnding = false
  let isWorking = false

  async function startAgain(ports: Ports | undefined): Promise<void> {
    if (!isEnding) running = await startOn(ports)
  }

  /** A server that could not be closed, such as on a full disk, starts again as after a failure of the work. */
  async function closeAndRun<T>(server: RunningServer | undefined, work: () => Promise<T>): Promise<T> {
    await server?.close()
    if (isEnding) throw new Error('The server is stopped.')
    isWorking = true
    return work().finally(() => {
      isWorking = false
    })
  }

  const whileStopped: Runner['whileStopped'] = (work, undo) =>
    serialize(async () => {
      const stopped = running
      running = undefined
      const done = await closeAndRun(stopped, work).catch(async (error: unknown) => {
        await startAgain(stopped).catch(onFailed)
        throw error
      })
      try {
        await startAgain(stopped)
      } catch (error) {
        if (!undo || (error as NodeJS.ErrnoException).code === 'EADDRINUSE') onFailed(error)
        else {
          await undo(done)
            .then(() => startAgain(stopped))
            .catch(onFailed)
          throw error
        }
      }
      return done
    })

  return {
    start: () => serialize(async () => (running = await startOn())),
    restart: () =>
      whileStopped(async () => {}).catch((error: unknown) => {
        if (!isEnding) throw error
      }),
    whileStopped,
    async stop() {
      isEnding = true
      if (isWorking) return 'interrupted'
      await serialize(async () => running?.close())
      return 'stopped'
    },
  }
}
