/** All requirements, in the order in which they are measured. */
import { accounts } from './areas/accounts.ts'
import { appPassword } from './areas/app-password.ts'
import { blob } from './areas/blob.ts'
import { cors } from './areas/cors.ts'
import { identity } from './areas/identity.ts'
import { lexicons } from './areas/lexicon.ts'
import { limits } from './areas/limits.ts'
import { moves } from './areas/moves.ts'
import { movesOut } from './areas/moves-out.ts'
import { oauth } from './areas/oauth.ts'
import { oauthConsent } from './areas/oauth-consent.ts'
import { oauthRequests } from './areas/oauth-requests.ts'
import { proofs } from './areas/proofs.ts'
import { record } from './areas/record.ts'
import { recordChanges } from './areas/record-changes.ts'
import { repo } from './areas/repo.ts'
import { session } from './areas/session.ts'
import { stream } from './areas/stream.ts'
import { streamPosition } from './areas/stream-position.ts'
import { sync } from './areas/sync.ts'
import { vectors } from './areas/vectors.ts'
import { xrpc } from './areas/xrpc.ts'
import type { Requirement } from './requirement.ts'

export const requirements: readonly Requirement[] = [
  ...xrpc,
  ...lexicons,
  ...identity,
  ...session,
  ...appPassword,
  ...record,
  ...recordChanges,
  ...repo,
  ...blob,
  ...sync,
  ...stream,
  ...streamPosition,
  ...vectors,
  ...proofs,
  ...cors,
  ...oauth,
  ...oauthRequests,
  ...oauthConsent,
  ...accounts,
  ...moves,
  ...movesOut,
  ...limits,
]
