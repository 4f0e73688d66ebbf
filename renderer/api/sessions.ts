/** The stored sessions, and which of them this window shows. */
import { createStore, useStore } from '../store.ts'
import { type Session, vault } from './vault.ts'

const currentKey = 'pds.current'

/** Each window has its own current account; a new window starts with the last one used. */
const current = createStore<string | undefined>(
  sessionStorage.getItem(currentKey) ?? localStorage.getItem(currentKey) ?? undefined,
)

/** The last session that ended without sign-out, for the message on the sign-in screen. */
export const endedSession = createStore<Session | undefined>(undefined)

export function useSessions(): readonly Session[] {
  return useStore(vault.sessions)
}

/** The session of the current account; undefined without one. */
export function useMaybeSession(): Session | undefined {
  const sessions = useSessions()
  const did = useStore(current)
  return sessions.find((session) => session.did === did) ?? sessions[0]
}

/** The session of the current account, for screens that require one. */
export function useSession(): Session {
  const session = useMaybeSession()
  if (!session) throw new Error('no session')
  return session
}

export function findSession(did: string): Session | undefined {
  return vault.sessions.get().find((session) => session.did === did)
}

export function switchTo(did: string): void {
  sessionStorage.setItem(currentKey, did)
  localStorage.setItem(currentKey, did)
  current.set(did)
}

/** Stores a session. Replaces an older one of the same account. */
export function addSession(session: Session): void {
  vault.update((sessions) =>
    sessions.some(({ did }) => did === session.did)
      ? sessions.map((old) => (old.did === session.did ? session : old))
      : [...sessions, session],
  )
  endedSession.set(undefined)
}

/** Updates fields of a stored session. Ignored after sign-out, and if all are the same. */
export function updateSession(did: string, fields: Partial<Session>): void {
  const session = findSession(did)
  const isChanged =
    session && Object.entries(fields).some(([name, value]) => session[name as keyof Session] !== value)
  if (isChanged)
    vault.update((sessions) => sessions.map((old) => (old.did === did ? { ...old, ...fields } : old)))
}

/** Removes a stored session. @param ended whether it ended without sign-out */
export function removeSession(did: string, ended = false): void {
  if (ended) endedSession.set(findSession(did))
  vault.update((sessions) => sessions.filter((session) => session.did !== did))
}
