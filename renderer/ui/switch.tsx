import type { ReactNode } from 'react'
import { classes } from './class-names.ts'
import styles from './switch.module.css'

interface SwitchProps {
  readonly label: string
  /** Says it to assistive technology only: a heading beside it says it to the eye. */
  readonly labelHidden?: boolean
  readonly hint?: ReactNode
  readonly checked: boolean
  readonly disabled?: boolean
  onChange(checked: boolean): void
}

/** On or off, at once. */
export function Switch({
  label,
  labelHidden = false,
  hint,
  checked,
  disabled = false,
  onChange,
}: SwitchProps) {
  return (
    <label className={styles.switch}>
      <input
        aria-checked={checked}
        checked={checked}
        className={styles.input}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        role="switch"
        type="checkbox"
      />
      <span className={classes(labelHidden && 'visually-hidden')}>
        {label}
        {hint && <span className={styles.hint}>{hint}</span>}
      </span>
    </label>
  )
}
