/** Moves of accounts between servers. */
import { useQuery } from '@tanstack/react-query'
import { com } from '../../lexicons/generated/index.ts'
import { type Body, call, callAs } from './client.ts'
import { keyOf } from './hooks.ts'
import { addSession, useSession } from './sessions.ts'
import { asAdmin } from './sign-in.ts'
import { type Session, sessionFrom } from './vault.ts'

export type Move = NonNullable<Body<typeof com.core.move.getMove.main>['move']>

/** How often a move is read while it goes on, and while it waits. */
const runningMs = 1_000
const waitingMs = 15_000

/** The current or last move of the current account; null without one. Is read again until the move has ended. */
export function useMove({ enabled = true } = {}) {
  const { did } = useSession()
  return useQuery({
    queryKey: keyOf(did, com.core.move.getMove, {}),
    enabled,
    queryFn: async ({ signal }) => (await callAs(did, com.core.move.getMove, { signal })).move ?? null,
    refetchInterval: ({ state: { data: move } }) => {
      if (!move || move.endedAt !== undefined) return false
      return move.need === undefined && move.error === undefined ? runningMs : waitingMs
    },
  })
}

export type MoveInInput = com.core.move.moveIn.$InputBody

/** Starts a move to this server, and stores the session of the new account. @param adminPassword as for {@link signUp} */
export async function moveIn(input: MoveInInput, adminPassword?: string): Promise<Session> {
  const opened = await call(com.core.move.moveIn, { body: input, headers: asAdmin(adminPassword) })
  const session = sessionFrom({ ...opened, active: false, status: 'deactivated' })
  addSession(session)
  return session
}

/** The host of the other server. */
export function hostOf(server: string): string {
  return new URL(server).host
}
