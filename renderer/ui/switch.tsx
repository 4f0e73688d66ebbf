import type { ReactNode } from 'react'
import { classes } from './class-names.ts'
import styles from './switch.module.css'

interface SwitchProps {
  readonly label: string
  /** Hides the label visually, for a switch beside a heading with the same text. */
  readonly labelHidden?: boolean
  readonly hint?: ReactNode
  readonly checked: boolean
  readonly disabled?: boolean
  onChange(checked: boolean): void
}

/** A switch that takes effect immediately. */
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
