/** The accounts signed in here, and the one that this window shows. */
import { createStore, useStore } from './store.ts'
import { type Session, vault } from './vault.ts'

const currentKey = 'pds.current'

/** Each window shows an account of its own; a new one starts with that of the last. */
const current = createStore<string | undefined>(
  sessionStorage.getItem(currentKey) ?? localStorage.getItem(currentKey) ?? undefined,
)

/** The account whose session ended without its doing, so that the sign-in screen can say so. */
export const endedSession = createStore<Session | undefined>(undefined)

export function useSessions(): readonly Session[] {
  return useStore(vault.sessions)
}

/** The session that this window shows; undefined when nobody is signed in. */
export function useMaybeSession(): Session | undefined {
  const sessions = useSessions()
  const did = useStore(current)
  return sessions.find((session) => session.did === did) ?? sessions[0]
}

/** As `useMaybeSession`, on screens that only somebody who is signed in sees. */
export function useSession(): Session {
  const session = useMaybeSession()
  if (!session) throw new Error('nobody is signed in')
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

/** Takes a new session in, in place of an older one of the same account. */
export function addSession(session: Session): void {
  vault.update((sessions) =>
    sessions.some(({ did }) => did === session.did)
      ? sessions.map((old) => (old.did === session.did ? session : old))
      : [...sessions, session],
  )
  endedSession.set(undefined)
}

/** Notes what is now known of an account; nothing when it has signed out meanwhile, or when it is known already. */
export function updateSession(did: string, known: Partial<Session>): void {
  const session = findSession(did)
  const isNews =
    session && Object.entries(known).some(([name, value]) => session[name as keyof Session] !== value)
  if (isNews)
    vault.update((sessions) => sessions.map((old) => (old.did === did ? { ...old, ...known } : old)))
}

/** Forgets a session. @param ended whether it ended without the account's doing */
export function removeSession(did: string, ended = false): void {
  if (ended) endedSession.set(findSession(did))
  vault.update((sessions) => sessions.filter((session) => session.did !== did))
}
