import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { errorName } from '../../api/call-errors.ts'
import { call } from '../../api/client.ts'
import { t } from '../../strings/en.ts'
import { useDebounced } from '../../ui/debounced.ts'

interface HandleCheck {
  /** The validation error. */
  readonly problem: string | undefined
  readonly state: 'empty' | 'checking' | 'taken' | 'free'
}

/** The choice of a handle: a name, and one of the domains of the server. */
export interface HandleChoice {
  readonly typed: string
  readonly domain: string
  readonly domains: readonly string[]
  /** The full handle. */
  readonly handle: string
  readonly check: HandleCheck
  setTyped(text: string): void
  setDomain(domain: string): void
}

/** @param isChecked whether the handle is checked while it is typed */
export function useHandleChoice(domains: readonly string[], initial = '', isChecked = true): HandleChoice {
  const [typed, setTyped] = useState(initial)
  const [domain, setDomain] = useState(domains[0] ?? '')
  const name = nameIn(typed, domain)
  const handle = name + domain
  const check = useHandleCheck(isChecked ? name : '', handle)
  return { typed, domain, domains, handle, check, setTyped, setDomain }
}

/** Checks a handle while it is typed: its syntax at once, its availability after a pause. */
function useHandleCheck(name: string, handle: string): HandleCheck {
  const problem = name === '' ? undefined : problemOf(name)
  const debounced = useDebounced(handle)
  const { data: isTaken } = useQuery({
    queryKey: ['', 'is taken', debounced],
    queryFn: ({ signal }) => isHandleTaken(debounced, signal),
    enabled: name !== '' && problem === undefined && debounced === handle,
  })
  if (name === '') return { state: 'empty', problem }
  if (isTaken === undefined || debounced !== handle) return { state: 'checking', problem }
  return isTaken ? { state: 'taken', problem: t.signUp.taken(handle) } : { state: 'free', problem }
}

/** The name part of the input, which may be a full handle with a leading @. */
function nameIn(typed: string, domain: string): string {
  const text = typed.trim().toLowerCase().replace(/^@/, '')
  return domain !== '' && text.endsWith(domain) ? text.slice(0, -domain.length) : text
}

async function isHandleTaken(handle: string, signal: AbortSignal): Promise<boolean> {
  try {
    await call(com.core.identity.resolveHandle, {
      params: { handle: handle as `${string}.${string}` },
      signal,
    })
    return true
  } catch (error) {
    if (errorName(error) === 'HandleNotFound') return false
    throw error
  }
}

function problemOf(name: string): string | undefined {
  if (!/^[a-z0-9-]*$/.test(name) || name.startsWith('-') || name.endsWith('-')) return t.signUp.letters
  if (name.length < 3) return t.signUp.tooShort
  return name.length > 18 ? t.signUp.tooLong : undefined
}
