/**
 * Looks up identities of other servers: a did:web at its domain; a did:plc at the directory if one is configured, else as the
 * operation log that its server has, which proves itself.
 */

import { type DidDocument, pdsEndpointOf } from '../../identity/did/did-document.ts'
import { InvalidPlcOperation } from '../../identity/did/did-plc.ts'
import { directoryUrl } from '../../identity/did/plc-directory.ts'
import { documentOfLog, type PlcLog, preferredLog, verifyLog } from '../../identity/did/plc-log.ts'
import { type ResolveDid, UnresolvableDid } from '../../identity/did/resolver.ts'
import type { Config } from '../../platform/config/config.ts'
import { guardedFetch, OutboundFailed, ResponseTooLarge } from '../../platform/network/client.ts'
import { OutboundRefused } from '../../platform/network/guard.ts'
import type { FindAddresses } from '../../platform/network/names.ts'
import { parseJson } from '../../util/json.ts'

export interface LocateDeps {
  readonly config: Pick<Config, 'allowPrivateTargets'>
  readonly resolveDid: ResolveDid
  /** The look-up of hosts that the owner did not name. */
  readonly findAddresses?: FindAddresses | undefined
  /** Returns the origins of the upstreams: the owner named them, so they may have private addresses. */
  readonly upstreamOrigins: () => readonly string[]
  readonly signal?: AbortSignal | undefined
}

export interface Located {
  readonly document: DidDocument
  /** Origin of the personal data server. */
  readonly host: string
  /** The operations that prove the document; undefined if a directory or a domain vouches for it. */
  readonly log: PlcLog | undefined
}

export interface Hints {
  /** Origin of the upstream that mentioned the DID. */
  readonly via: string | undefined
  /** The previous result; without a host, another host may take its place. */
  readonly known: { readonly host: string | undefined; readonly log: PlcLog | undefined } | undefined
}

/** @throws UnresolvableDid */
export async function locate(deps: LocateDeps, did: string, hints: Hints): Promise<Located> {
  const document = await deps.resolveDid(did, { maxAgeMs: 0 }).catch((error: unknown) => {
    // A directory answers for published identities only: an unknown DID may be an unpublished one.
    const mayBeUnpublished =
      error instanceof UnresolvableDid && !error.isOutage && !error.isEnded && did.startsWith('did:plc:')
    if (!mayBeUnpublished) throw error
    return undefined
  })
  if (!document) return locateAtPeers(deps, did, hints)
  const host = pdsEndpointOf(document)
  if (host === undefined) throw new UnresolvableDid(`${did}: its document names no server`)
  return { document, host, log: undefined }
}

/** All peers are asked, because one may withhold the last operations. */
async function locateAtPeers(deps: LocateDeps, did: string, { via, known }: Hints): Promise<Located> {
  const origins = new Set(
    [known?.host, via, ...deps.upstreamOrigins()].filter((origin) => origin !== undefined),
  )
  const answers = await Promise.all([...origins].map((origin) => readLog(deps, origin, did)))
  const found = answers.flatMap(({ origin, log }) => (log ? [{ origin, log }] : []))
  let best = known?.log
  for (const { log } of found) best = best ? await preferredLog(best, log) : log
  if (found.length === 0 || !best) {
    const isOutage = answers.some((answer) => answer.isOutage)
    throw new UnresolvableDid(`${did}: neither a directory nor an upstream has its operations`, { isOutage })
  }
  const document = documentOfLog(did, best)
  if (!document) throw new UnresolvableDid(`${did}: its holder has ended it`, { isEnded: true })
  return { document, host: hostOf(deps, best, answers, known?.host), log: best }
}

/**
 * Returns the server of an account: the one that has its latest operation. The address in the document is often one that only that
 * machine can use. An upstream that is known to be the server remains it while it is away: any server can copy operations.
 */
function hostOf(
  { upstreamOrigins }: Pick<LocateDeps, 'upstreamOrigins'>,
  log: PlcLog,
  answers: readonly PeerAnswer[],
  known: string | undefined,
): string {
  const isKnownAway = answers.some(({ origin, isOutage }) => origin === known && isOutage)
  if (known !== undefined && isKnownAway && upstreamOrigins().includes(known)) return known
  const has = answers.find((answer) => answer.log?.at(-1)?.sig === log.at(-1)?.sig)
  return has?.origin ?? known ?? answers.find((answer) => answer.log)?.origin ?? ''
}

interface PeerAnswer {
  readonly origin: string
  readonly log?: PlcLog
  readonly isOutage: boolean
}

/** Limit of a log in bytes: the permitted number of operations, each of the common size. */
const maxLogBytes = 128 * 1024
const timeoutMs = 3_000

async function readLog(deps: LocateDeps, origin: string, did: string): Promise<PeerAnswer> {
  try {
    const { status, body } = await peerFetch(deps, origin, `${directoryUrl(origin, did)}/log`, maxLogBytes)
    if (status !== 200) return { origin, isOutage: status >= 500 || status === 429 }
    return { origin, log: await verifyLog(did, parseJson(body)), isOutage: false }
  } catch (error) {
    if (error instanceof InvalidPlcOperation || error instanceof OutboundRefused)
      return { origin, isOutage: false }
    if (error instanceof OutboundFailed) return { origin, isOutage: !(error instanceof ResponseTooLarge) }
    throw error
  }
}

/** Fetches a URL of a server. Private addresses are refused unless the server is an upstream. @throws OutboundRefused, OutboundFailed */
export function peerFetch(
  deps: Pick<LocateDeps, 'config' | 'upstreamOrigins' | 'findAddresses' | 'signal'>,
  origin: string,
  url: string,
  maxBytes: number,
) {
  const { config, upstreamOrigins, signal } = deps
  const isNamed = upstreamOrigins().includes(origin)
  const allowPrivate = config.allowPrivateTargets || isNamed
  const findAddresses = isNamed ? undefined : deps.findAddresses
  return guardedFetch(url, { allowPrivate, timeoutMs, maxBytes, signal, findAddresses })
}
