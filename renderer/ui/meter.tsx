import styles from './meter.module.css'

interface MeterProps {
  readonly label: string
  readonly value: number
  readonly max: number
  /** The value in words. */
  readonly title: string
}

/** A bar that shows a part of a whole. */
export function Meter({ label, value, max, title }: MeterProps) {
  return (
    <meter
      aria-label={label}
      aria-valuetext={title}
      className={styles.meter}
      max={Math.max(max, 1)}
      title={title}
      value={value}
    />
  )
}
