/** Looks for ports of this machine that are not in use. */
import { createServer } from 'node:net'

/** Returns the port, or any free one for 0; undefined if it is in use. */
export function freePort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
    })
  })
}
