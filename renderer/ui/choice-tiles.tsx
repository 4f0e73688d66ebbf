import type { LucideIcon } from 'lucide-react'
import { useId } from 'react'
import styles from './choice-tiles.module.css'

interface ChoiceTilesProps<T extends string> {
  readonly label: string
  /** Undefined if none is chosen. */
  readonly value: T | undefined
  /** The texts of the values, in order. */
  readonly options: Readonly<Record<T, string>>
  readonly icons: Readonly<Record<T, LucideIcon>>
  onChange(value: NoInfer<T>): void
}

/** A radio group shown as tiles with icons. */
export function ChoiceTiles<T extends string>(props: ChoiceTilesProps<T>) {
  const { label, value, options, icons, onChange } = props
  const name = useId()
  return (
    <fieldset className={styles.tiles}>
      <legend className="visually-hidden">{label}</legend>
      {(Object.entries(options) as [T, string][]).map(([option, text]) => {
        const Icon: LucideIcon = icons[option]
        return (
          <label className={styles.tile} key={option}>
            <input
              checked={option === value}
              className="visually-hidden"
              name={name}
              onChange={() => onChange(option)}
              type="radio"
            />
            <Icon aria-hidden size={20} strokeWidth={1.75} />
            {text}
          </label>
        )
      })}
    </fieldset>
  )
}
