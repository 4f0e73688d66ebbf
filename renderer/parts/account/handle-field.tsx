import { useState } from 'react'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import type { HandleChoice } from './handle-check.ts'
import styles from './handle-field.module.css'

interface HandleFieldProps {
  readonly choice: HandleChoice
  /** The error of the server. */
  readonly serverError?: string | undefined
  /** Called when the name changes. */
  onType?(): void
}

/** The name and the choice of its domain. */
export function HandleField({ choice, serverError, onType }: HandleFieldProps) {
  const { typed, handle, domain, check } = choice
  // Show “too short” only after the field loses focus.
  const [isBlurred, setBlurred] = useState(false)
  const problem = serverError ?? (isBlurred || check.state === 'taken' ? check.problem : undefined)
  return (
    <Field
      // No completion: password managers store the whole handle, and this is only its name.
      exact
      error={problem}
      hint={
        <span aria-live="polite" className={check.state === 'free' ? styles.good : undefined}>
          {check.state === 'free' ? t.signUp.free(handle) : t.signUp.handleHint(domain)}
        </span>
      }
      label={t.ui.handle}
      onBlur={() => setBlurred(typed !== '')}
      onChange={(event) => {
        choice.setTyped(event.target.value)
        onType?.()
      }}
      required
      suffix={<DomainChoice choice={choice} />}
      value={typed}
    />
  )
}

function DomainChoice({ choice: { domain, domains, setDomain } }: Pick<HandleFieldProps, 'choice'>) {
  if (domains.length < 2) return <span className={styles.handle}>{domain}</span>
  return (
    <select
      aria-label={t.ui.domain}
      className={styles.domain}
      onChange={(event) => setDomain(event.target.value)}
      value={domain}
    >
      {domains.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  )
}
