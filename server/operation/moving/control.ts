/** Actions of the owner of an account on its move: entering a code, signing in again, retrying, accepting a loss. */

import * as rows from '../../repository/tables/moves.ts'
import type { Database, Reader } from '../../store/database.ts'
import type { Consent, Moves } from './moves.ts'
import { moveRefused, withPeer } from './refused.ts'
import { sessionIn } from './remote-side.ts'

interface Deps {
  readonly store: Database
  readonly moves: Moves
}

export interface Continuation extends Consent {
  readonly code?: string | undefined
  readonly password?: string | undefined
  readonly authFactorToken?: string | undefined
}

/** @throws XrpcError `MoveRefused` if the account has no move */
export function moveOfAccount(db: Reader, did: string): rows.Move {
  const move = rows.find(db, did)
  if (!move) throw moveRefused('This account is not being moved')
  return move
}

/** @throws XrpcError `MoveRefused`, `AuthFactorTokenRequired` */
export async function continueMove(deps: Deps, did: string, input: Continuation): Promise<void> {
  const { store, moves } = deps
  const move = moveOfAccount(store, did)
  const code = input.code?.trim()
  if (move.need === 'signIn') await signInAgain(deps, move, input)
  else if (move.need === 'code' && code) await withPeer(() => moves.enterCode(did, code))
  else if (move.endedAt === null) await moves.retry(did, input)
}

async function signInAgain({ moves }: Deps, move: rows.Move, input: Continuation): Promise<void> {
  const { did, peer } = move
  const { password, authFactorToken } = input
  if (!password) throw moveRefused(`Enter the password of the account at ${new URL(peer).host}`)
  const credentials = { identifier: did, password, authFactorToken }
  const answer = await withPeer(() =>
    moves.peers.at(peer).post('com.core.server.createSession', credentials, {}),
  )
  if (answer.did !== did) throw moveRefused('The other server signed another account in')
  await moves.replaceSession(did, sessionIn(answer))
}
