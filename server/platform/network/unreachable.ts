/** Why a server cannot be reached, for people. */
import { OutboundFailed } from './client.ts'

/** Returns a sentence with the reason and what to do; undefined for a failure that is none of the common ones. */
export function unreachableText(url: URL, error: unknown): string | undefined {
  const cause =
    error instanceof OutboundFailed ? (error.cause as NodeJS.ErrnoException | undefined) : undefined
  return unreachableByCode(url, cause?.code)
}

/** @param code of an error of the system, such as `ENOTFOUND` */
export function unreachableByCode({ host, hostname }: URL, code: string | undefined): string | undefined {
  switch (code) {
    case 'ENOTFOUND':
      return `There is no server named ${hostname}. Check the address.`
    case 'EAI_AGAIN':
      return `${hostname} could not be looked up. Check that this computer is online.`
    case 'ECONNREFUSED':
      return `${host} does not accept connections. Check that the server runs there and is open to the network.`
    default:
      return undefined
  }
}
