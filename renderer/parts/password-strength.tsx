import { t } from '../strings/en.ts'
import styles from './password-strength.module.css'

const levels = ['short', 'weak', 'fair', 'strong'] as const
type Level = (typeof levels)[number]

/** A rough estimate from length and kinds of characters. */
export function strengthOf(password: string): Level {
  const distinct = new Set(password).size
  if (password.length < 8) return 'short'
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].filter((kind) => kind.test(password)).length
  const bits = Math.min(password.length, distinct * 2) * (2.5 + kinds * 0.75)
  if (bits < 40) return 'weak'
  return bits < 60 ? 'fair' : 'strong'
}

export function PasswordStrength({ password }: { readonly password: string }) {
  const level = strengthOf(password)
  const reached = levels.indexOf(level)
  return (
    <span className={styles.strength}>
      <span aria-hidden className={styles.bars}>
        {levels.slice(1).map((one, at) => (
          <span data-on={at < reached} key={one} />
        ))}
      </span>
      <span aria-live="polite">
        <span className="visually-hidden">{t.signUp.strength.label} </span>
        {t.signUp.strength[level]}
      </span>
    </span>
  )
}
