/** Runs one server after the other in this process: a change of its places, or a restore, stops it and starts it again. */
import type { RunningServer } from '../../server.ts'
import { createSerializer } from '../../util/serialize.ts'

export type Ports = Pick<RunningServer, 'port' | 'proxyPort'>

export interface Runner {
  start(): Promise<RunningServer>
  restart(): Promise<void>
  /** Runs work while the server is stopped, and starts it again, also after a failure. */
  whileStopped<T>(work: () => Promise<T>): Promise<T>
  /** Stops it for good. */
  stop(): Promise<void>
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

  function whileStopped<T>(work: () => Promise<T>): Promise<T> {
    return serialize(async () => {
      const stopped = running
      running = undefined
      await stopped?.close()
      try {
        return await work()
      } finally {
        if (!isEnding) await startOn(stopped).then((server) => (running = server), onFailed)
      }
    })
  }

  return {
    start: () => serialize(async () => (running = await startOn())),
    restart: () => whileStopped(async () => {}),
    whileStopped,
    async stop() {
      isEnding = true
      await serialize(async () => running?.close())
    },
  }
}
