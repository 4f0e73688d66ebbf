/** URLs under which devices of the local network reach this machine. */
import { networkInterfaces } from 'node:os'

/** Interfaces of containers, virtual machines and tunnels: most devices of the network do not reach their addresses. */
const virtual = /^(docker|br-|bridge|veth|virbr|vmnet|vboxnet|vethernet|tailscale|utun|tun|tap|wg|zt)/i
/** Of a machine that got no address (RFC 3927). */
const linkLocal = /^169\.254\./

/** Returns a URL for each IPv4 address, the likeliest first. People type them, and IPv6 addresses of homes change. */
export function localAddresses(port: number, interfaces = networkInterfaces()): string[] {
  return Object.entries(interfaces)
    .flatMap(([name, addresses = []]) => addresses.map((one) => ({ ...one, name })))
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ address }) => `http://${address}:${port}`)
}

function rank({ name, address }: { readonly name: string; readonly address: string }): number {
  return Number(virtual.test(name)) + Number(linkLocal.test(address))
}
