/** The clients of the account: programs that are signed in besides this interface. */
import type { UseQueryResult } from '@tanstack/react-query'
import { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { clientName } from './client-name.ts'

const { listAppPasswords, listSessions } = com.core.server

type Session = Body<typeof listSessions.main>['sessions'][number]
type AppPassword = Body<typeof listAppPasswords.main>['passwords'][number]

/** What is shown of a query, or of several as one. */
export type Figures<T> = Pick<UseQueryResult<T>, 'data' | 'isError' | 'error' | 'isLoading'> & {
  refetch(): unknown
}

export interface Clients {
  /** Number of clients that are signed in. */
  readonly signedIn: number
  /** The client that was seen last, also if it has signed out since; undefined if there never was one. */
  readonly last: { readonly name: string; readonly at: string } | undefined
}

export function useClients(): Figures<Clients> {
  const sessions = useXrpcQuery(listSessions, {})
  const passwords = useXrpcQuery(listAppPasswords, {})
  const data = sessions.data && passwords.data && clientsOf(sessions.data.sessions, passwords.data.passwords)
  return {
    data,
    isError: sessions.isError || passwords.isError,
    error: sessions.error ?? passwords.error,
    isLoading: sessions.isLoading || passwords.isLoading,
    refetch: () => Promise.all([sessions.refetch(), passwords.refetch()]),
  }
}

function clientsOf(sessions: readonly Session[], passwords: readonly AppPassword[]): Clients {
  const clients = sessions.filter(isOfClient)
  const seen = [
    ...clients.map((session) => ({ name: sessionName(session), at: session.lastUsedAt })),
    ...passwords.flatMap(({ name, lastUsedAt: at }) => (at === undefined ? [] : [{ name, at }])),
  ]
  return {
    // A program may open a session for each call.
    signedIn: new Set(clients.map(({ appPasswordName, app, client }) => appPasswordName ?? app ?? client))
      .size,
    last: seen.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))[0],
  }
}

/** Whether a client opened the session. This interface and scripts of the holder use the main password. */
export function isOfClient({ openedWith }: Session): boolean {
  return openedWith !== 'password'
}

/** The name that the person gave, with what else the client says of itself; the host of an app that signed in by OAuth. */
export function sessionName({ appPasswordName, app, client }: Session): string {
  if (appPasswordName?.startsWith(clientName(client))) return appPasswordName
  if (appPasswordName !== undefined) return `${appPasswordName} (${clientName(client)})`
  return URL.parse(app ?? '')?.host ?? clientName(client)
}
