/** The first steps, ticked by what the server says. */
import { com } from '../../../lexicons/generated/index.ts'
import { useOwnership } from '../../api/account.ts'
import { useCopies } from '../../api/copies.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { displayNameOf } from '../../api/names.ts'
import { useOwnProfile } from '../../api/profile.ts'
import { useSession } from '../../api/sessions.ts'
import type { ProfileView } from '../../api/views.ts'
import { useClients } from '../../parts/apps/clients.ts'
import { copySummary } from '../../parts/replicas/copy-state.ts'
import type { t } from '../../strings/en.ts'
import { useNow } from '../../ui/time.tsx'

export type Mark = keyof typeof t.firstSteps.names

/** Whether each step is done, in order. Steps that the account cannot take, or that could not be read, are absent. */
export type Marks = ReadonlyMap<Mark, boolean>

/** Rotation keys of a published identity are read from its directory, which others run. */
const keysStaleMs = 10 * 60_000

/** Undefined until all were read, so that the list appears once, as it is. */
export function useMarks(): Marks | undefined {
  const { did } = useSession()
  const isOwner = useOwnership()
  const now = useNow()
  const profile = useOwnProfile(did)
  const clients = useClients()
  const copies = useCopies()
  const keys = useXrpcQuery(
    com.core.identity.listRotationKeys,
    {},
    { enabled: did.startsWith('did:plc:'), staleTime: keysStaleMs },
  )
  if (isOwner === undefined || [profile, clients, copies, keys].some(({ isLoading }) => isLoading))
    return undefined
  const copy = copies.data && copySummary(copies.data, now).state
  // The sheet of the copies brings the account back as well.
  const hasSheet = isOwner && copies.data?.sheetKept && copy !== 'none'
  const steps: readonly (readonly [Mark, boolean | undefined])[] = [
    ['profile', profile.data && hasFace(profile.data)],
    ['client', clients.data && clients.data.last !== undefined],
    ['copy', copy && (copy === 'current' || copy === 'copied')],
    ['recovery', keys.data && (hasSheet || keys.data.keys.some(({ server }) => !server))],
  ]
  return new Map(steps.flatMap(([mark, isDone]) => (isDone === undefined ? [] : [[mark, isDone]])))
}

type Face = Pick<ProfileView, 'avatar' | 'displayName'>

function hasFace({ avatar, displayName }: Face): boolean {
  return avatar !== undefined && displayNameOf({ displayName }) !== ''
}
