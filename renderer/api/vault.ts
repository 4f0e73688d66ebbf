/** Persists sessions: in the system keyring for the desktop, in local storage for a browser. */
import type { DidString } from '@atproto/lex-schema'
import type { DesktopBridge } from '../../electron/ground/bridge.ts'
import { desktop } from '../bridge.ts'
import { createStore, type Store } from '../store.ts'

/** The tokens of a signed-in account and its last known state. */
export interface Session {
  readonly did: DidString
  readonly handle: string
  readonly accessJwt: string
  readonly refreshJwt: string
  readonly email?: string | undefined
  readonly emailConfirmed?: boolean | undefined
  readonly emailAuthFactor?: boolean | undefined
  readonly active?: boolean | undefined
  readonly status?: string | undefined
}

type Described = Omit<Session, 'accessJwt' | 'refreshJwt'>

/** The account fields of a session, absent ones included, so that updates also clear them. */
export function accountFields(of: Described) {
  const { did, handle, email, emailConfirmed, emailAuthFactor, active, status } = of
  return { did, handle, email, emailConfirmed, emailAuthFactor, active, status }
}

/** The session to store, from a response that creates or refreshes one. */
export function sessionFrom(response: Described & Pick<Session, 'accessJwt' | 'refreshJwt'>): Session {
  const { accessJwt, refreshJwt } = response
  return { ...accountFields(response), accessJwt, refreshJwt }
}

export interface Vault {
  readonly sessions: Store<readonly Session[]>
  /** Applies a change to the stored sessions, which another tab may have changed. */
  update(change: (sessions: readonly Session[]) => readonly Session[]): void
}

const key = 'pds.sessions'

export const vault: Vault = desktop ? desktopVault(desktop.sessions) : browserVault()

/** Shared by all tabs through `storage` events. */
function browserVault(): Vault {
  const read = () => parse(localStorage.getItem(key))
  const sessions = createStore(read())
  window.addEventListener('storage', (event) => {
    if (event.key === key || event.key === null) sessions.set(read())
  })
  return {
    sessions,
    update(change) {
      const changed = change(read())
      localStorage.setItem(key, JSON.stringify(changed))
      sessions.set(changed)
    },
  }
}

function desktopVault({ initial, save }: DesktopBridge['sessions']): Vault {
  const sessions = createStore(parse(initial))
  return {
    sessions,
    update(change) {
      sessions.set(change(sessions.get()))
      save(JSON.stringify(sessions.get()))
    },
  }
}

function parse(text: string | null): readonly Session[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value.filter(isSession) : []
  } catch {
    return []
  }
}

function isSession(value: Partial<Session> | null): value is Session {
  const texts = [value?.did, value?.handle, value?.accessJwt, value?.refreshJwt]
  return texts.every((text) => typeof text === 'string')
}
