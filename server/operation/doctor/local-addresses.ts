/** URLs under which devices of the local network reach this machine. */
import { networkInterfaces } from 'node:os'

/** Returns a URL for each IPv4 address. People type them, and IPv6 addresses of homes change. */
export function localAddresses(port: number): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => `http://${address}:${port}`)
}
