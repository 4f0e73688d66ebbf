import { useId } from 'react'
import styles from './choice-chips.module.css'

interface ChoiceChipsProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly { readonly value: T; readonly label: string }[]
  onChange(value: T): void
}

/** A radio group shown as chips. */
export function ChoiceChips<T extends string>({ label, value, options, onChange }: ChoiceChipsProps<T>) {
  const name = useId()
  return (
    <fieldset className={styles.chips}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label className={styles.chip} key={option.value}>
          <input
            checked={option.value === value}
            className="visually-hidden"
            name={name}
            onChange={() => onChange(option.value)}
            type="radio"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  )
}
