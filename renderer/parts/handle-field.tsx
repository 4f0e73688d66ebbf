import { useState } from 'react'
import { t } from '../strings/en.ts'
import { Field } from '../ui/field.tsx'
import type { HandleCheck } from './handle-check.ts'
import styles from './handle-field.module.css'

interface HandleFieldProps {
  readonly typed: string
  /** The full handle. */
  readonly handle: string
  readonly domain: string
  readonly domains: readonly string[]
  readonly check: HandleCheck
  /** The error of the server. */
  readonly serverError: string | undefined
  onType(text: string): void
  onDomain(domain: string): void
}

/** The name and the choice of its domain. */
export function HandleField(props: HandleFieldProps) {
  const { typed, handle, domain, domains, check, serverError, onType, onDomain } = props
  // Show “too short” only after the field loses focus.
  const [isBlurred, setBlurred] = useState(false)
  const problem = serverError ?? (isBlurred || check.state === 'taken' ? check.problem : undefined)
  return (
    <Field
      autoCapitalize="none"
      // The name without its domain is no user name for a password manager.
      autoComplete="off"
      error={problem}
      hint={
        <span aria-live="polite" className={check.state === 'free' ? styles.good : undefined}>
          {check.state === 'free' ? t.signUp.free(handle) : t.signUp.handleHint(domain)}
        </span>
      }
      label={t.signUp.handle}
      onBlur={() => setBlurred(typed !== '')}
      onChange={(event) => onType(event.target.value)}
      required
      spellCheck={false}
      suffix={<DomainChoice domain={domain} domains={domains} onDomain={onDomain} />}
      value={typed}
    />
  )
}

function DomainChoice({
  domain,
  domains,
  onDomain,
}: Pick<HandleFieldProps, 'domain' | 'domains' | 'onDomain'>) {
  if (domains.length < 2) return <span className={styles.handle}>{domain}</span>
  return (
    <select
      aria-label={t.signUp.domain}
      className={styles.domain}
      onChange={(event) => onDomain(event.target.value)}
      value={domain}
    >
      {domains.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  )
}
