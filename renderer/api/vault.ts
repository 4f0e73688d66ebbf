/** Where sessions are kept between visits: the system's secret store in the desktop, the browser's storage elsewhere. */
import type { DidString } from '@atproto/lex-schema'
import type { DesktopBridge } from '../../electron/bridge.ts'
import { desktop } from '../bridge.ts'
import { createStore, type Store } from './store.ts'

/** A signed-in account: its tokens, and what was last known of it. */
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

/** What a session says of its account: all of it, so that what is gone is forgotten. */
export function accountFields(of: Described) {
  const { did, handle, email, emailConfirmed, emailAuthFactor, active, status } = of
  return { did, handle, email, emailConfirmed, emailAuthFactor, active, status }
}

/** A session to keep, from an answer that opens or renews one. */
export function sessionFrom(answer: Described & Pick<Session, 'accessJwt' | 'refreshJwt'>): Session {
  const { accessJwt, refreshJwt } = answer
  return { ...accountFields(answer), accessJwt, refreshJwt }
}

export interface Vault {
  readonly sessions: Store<readonly Session[]>
  /** Changes what is kept, starting from what is kept now: another tab may have changed it meanwhile. */
  update(change: (sessions: readonly Session[]) => readonly Session[]): void
}

const key = 'pds.sessions'

export const vault: Vault = desktop ? desktopVault(desktop.sessions) : browserVault()

/** Tabs share it: each hears of the others' changes. */
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
