/** Checks of the public address itself: the setting, the name, the certificate. */

import { BlockList, isIP } from 'node:net'
import { isValidTld } from '@atproto/syntax'
import { certificateOf } from '../../platform/network/certificate.ts'
import { isPublicAddress } from '../../platform/network/guard.ts'
import { findForOwner } from '../../platform/network/names.ts'
import { deadlineSignal } from '../../util/deadlines.ts'
import { type Check, codeOf, failed, ok, unknown, warning } from './check.ts'

/** Proxies renew a certificate in the last third of its life. */
const lateRenewal = 1 / 6
/** A proxy may get a certificate during the first handshake. */
export const handshakeMs = 20_000

/** Whether other networks may know a host name. Some endings are reserved for tests and local networks (RFC 6761). */
export function isPublicName(name: string): boolean {
  return name.includes('.') && isIP(name) === 0 && isValidTld(name) && !name.endsWith('.test')
}

/** The setting. */
export function checkUrl(publicUrl: string): Check {
  const name = 'publicUrl'
  const { protocol, hostname, port } = new URL(publicUrl)
  if (protocol !== 'https:') {
    return failed(name, `${publicUrl} is not encrypted. Other servers connect by https only.`, 'setPublicUrl')
  }
  if (!isPublicName(hostname)) {
    return failed(name, `Other servers cannot look up ${hostname}. Use a public domain name.`, 'setPublicUrl')
  }
  if (port) {
    return warning(
      name,
      `${publicUrl} has a port. Handles are looked up at the default port 443, and some servers connect to that port only.`,
      'setPublicUrl',
    )
  }
  return ok(name, `The public address is ${publicUrl}.`)
}

/** Addresses that Tailscale gives to machines (its documentation of IP address ranges). Its name server answers with them on these. */
const tailnet = new BlockList()
tailnet.addSubnet('100.64.0.0', 10, 'ipv4')
tailnet.addSubnet('fd7a:115c:a1e0::', 48, 'ipv6')

function isInTailnet(address: string): boolean {
  return tailnet.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** The addresses of the name. */
export async function checkDns({ hostname }: URL): Promise<Check> {
  const name = 'dns'
  try {
    const addresses = (await findForOwner(hostname)).map(({ address }) => address)
    const found = `${hostname} leads to ${addresses.join(', ')}`
    if (addresses.some(isPublicAddress)) return ok(name, `${found}.`)
    if (hostname.endsWith('.ts.net') && addresses.every(isInTailnet)) {
      return ok(name, `${found}. That is the address inside your tailnet. Outside, Tailscale answers.`)
    }
    return warning(
      name,
      `${found}, which is not a public address. Other networks must get one for the same name.`,
      'setDns',
      hostname,
    )
  } catch (error) {
    return codeOf(error) === 'ENOTFOUND'
      ? failed(name, `There is no DNS record for ${hostname}.`, 'setDns', hostname)
      : unknown(name, `The name server did not answer when ${hostname} was looked up.`)
  }
}

/** The certificate. */
export async function checkTls(url: URL, now: Date): Promise<Check> {
  const { hostname, port } = url
  const name = 'tls'
  try {
    const { issuer, validFrom, validTo } = await certificateOf(url, deadlineSignal(handshakeMs))
    const until = validTo.toISOString().slice(0, 10)
    const left = validTo.getTime() - now.getTime()
    if (left < lateRenewal * (validTo.getTime() - validFrom.getTime())) {
      return warning(name, `The certificate ends on ${until} and was not renewed yet.`, 'setTls', hostname)
    }
    return ok(name, `The certificate of ${issuer} is valid until ${until}.`)
  } catch (error) {
    const problem = tlsProblem(codeOf(error), hostname)
    return problem ? failed(name, problem, 'setTls', hostname) : unreachable(name, hostname, port || '443')
  }
}

/** Returns the problem with TLS as a sentence; undefined if the connection itself failed. */
export function tlsProblem(code: string, hostname: string): string | undefined {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return `The certificate of ${hostname} has expired.`
    case 'CERT_NOT_YET_VALID':
      return `The certificate of ${hostname} is not valid yet. Check the clock of this computer.`
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `The certificate is for another name than ${hostname}.`
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return `The certificate of ${hostname} is not signed by an authority that other servers trust.`
    default:
      return /^(ERR_SSL_|EPROTO$)/.test(code) ? `There is no valid TLS at ${hostname}.` : undefined
  }
}

/** Many routers do not let a computer of their network reach the public address of the network ("hairpin NAT"). */
function unreachable(name: 'tls', hostname: string, port: string): Check {
  return unknown(
    name,
    `No connection to ${hostname} at port ${port} from this computer. Nothing may answer there, or your router does not let its own network use its public address.`,
  )
}
