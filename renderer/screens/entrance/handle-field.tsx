import { useState } from 'react'
import { t } from '../../strings/en.ts'
import { Field } from '../../ui/field.tsx'
import styles from './entrance.module.css'
import type { HandleCheck } from './handle-check.ts'

interface HandleFieldProps {
  readonly name: string
  readonly domain: string
  readonly domains: readonly string[]
  readonly check: HandleCheck
  /** Why the server refused it. */
  readonly refused: string | undefined
  onName(name: string): void
  onDomain(domain: string): void
}

/** The name, and the domain behind it. */
export function HandleField({ name, domain, domains, check, refused, onName, onDomain }: HandleFieldProps) {
  // Nobody wants to be told that a name is too short while typing its second letter.
  const [isLeft, setLeft] = useState(false)
  const problem = refused ?? (isLeft || check.state === 'taken' ? check.problem : undefined)
  return (
    <Field
      autoCapitalize="none"
      autoComplete="username"
      error={problem}
      hint={
        <span aria-live="polite" className={check.state === 'free' ? styles.good : undefined}>
          {check.state === 'free'
            ? t.signUp.free(name.trim().toLowerCase() + domain)
            : t.signUp.handleHint(domain)}
        </span>
      }
      label={t.signUp.handle}
      onBlur={() => setLeft(name !== '')}
      onChange={(event) => onName(event.target.value)}
      required
      spellCheck={false}
      suffix={<DomainChoice domain={domain} domains={domains} onDomain={onDomain} />}
      value={name}
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
