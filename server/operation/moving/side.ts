/** The two servers of a move, seen alike: each step calls standard methods of both, so either can be any server. */
import type { PeerCall, Transfer } from '../../platform/network/peer.ts'

export type { Transfer } from '../../platform/network/peer.ts'

export type Query = Readonly<Record<string, string>>
export type Json = Record<string, unknown>

/** A server that an account moves from or to. Calls carry the account's session there. Methods have our names. */
export interface Side {
  /** Origin of the server. */
  readonly origin: string
  get(nsid: string, query?: Query): Promise<Json>
  post(nsid: string, input?: unknown): Promise<Json>
  download(nsid: string, query: Query): Promise<Transfer>
  upload(nsid: string, transfer: Transfer): Promise<Json>
}

export function queryText(query: Query | undefined): PeerCall['query'] {
  return query && new URLSearchParams(query).toString()
}
