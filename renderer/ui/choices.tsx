import type { LucideIcon } from 'lucide-react'
import { useId } from 'react'
import styles from './choices.module.css'
import { classes } from './class-names.ts'

interface ChoicesProps<T extends string> {
  readonly label: string
  /** Undefined if none is chosen. */
  readonly value: T | undefined
  /** The texts of the values, in order. */
  readonly options: Readonly<Record<T, string>>
  /** With icons, the choices are tiles; without, chips. */
  readonly icons?: Readonly<Record<T, LucideIcon>>
  onChange(value: NoInfer<T>): void
}

/** A radio group shown as chips, or as tiles with icons. */
export function Choices<T extends string>({ label, value, options, icons, onChange }: ChoicesProps<T>) {
  const name = useId()
  return (
    <fieldset className={icons ? styles.tiles : styles.chips}>
      <legend className="visually-hidden">{label}</legend>
      {(Object.entries(options) as [T, string][]).map(([option, text]) => {
        const Icon: LucideIcon | undefined = icons?.[option]
        return (
          <label className={classes(styles.choice, Icon ? styles.tile : styles.chip)} key={option}>
            <input
              checked={option === value}
              className="visually-hidden"
              name={name}
              onChange={() => onChange(option)}
              type="radio"
            />
            {Icon && <Icon aria-hidden size={20} strokeWidth={1.75} />}
            {text}
          </label>
        )
      })}
    </fieldset>
  )
}
