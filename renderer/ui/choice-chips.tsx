import { useId } from 'react'
import styles from './choice-chips.module.css'

interface ChoiceChipsProps<T extends string> {
  readonly label: string
  readonly value: T
  /** The texts of the values, in order. */
  readonly options: Readonly<Record<T, string>>
  onChange(value: NoInfer<T>): void
}

/** A radio group shown as chips. */
export function ChoiceChips<T extends string>({ label, value, options, onChange }: ChoiceChipsProps<T>) {
  const name = useId()
  return (
    <fieldset className={styles.chips}>
      <legend className="visually-hidden">{label}</legend>
      {(Object.entries(options) as [T, string][]).map(([option, text]) => (
        <label className={styles.chip} key={option}>
          <input
            checked={option === value}
            className="visually-hidden"
            name={name}
            onChange={() => onChange(option)}
            type="radio"
          />
          {text}
        </label>
      ))}
    </fieldset>
  )
}
