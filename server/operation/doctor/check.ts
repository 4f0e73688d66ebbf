/** The result of a check. */
import type { com } from '../../../lexicons/generated/index.ts'

/** As in the lexicon. `subject`: the object of the remedy, such as a host name. */
export type Check = com.core.admin.checkNetwork.Check
type Name = Check['name']
type Remedy = NonNullable<Check['remedy']>

export function ok(name: Name, message: string): Check {
  return { name, state: 'ok', message }
}

export function warning(name: Name, message: string, remedy?: Remedy, subject?: string): Check {
  return { name, state: 'warning', message, remedy, subject }
}

export function failed(name: Name, message: string, remedy: Remedy, subject?: string): Check {
  return { name, state: 'failed', message, remedy, subject }
}

/** For properties that cannot be checked from this machine. */
export function unknown(name: Name, message: string): Check {
  return { name, state: 'unknown', message }
}

/** Returns the code of a system error, also when another error wraps it; empty if there is none. */
export function codeOf(error: unknown): string {
  const { code, cause } = error as NodeJS.ErrnoException
  return code ?? (cause ? codeOf(cause) : '')
}
