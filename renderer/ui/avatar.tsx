import styles from './avatar.module.css'

/** Hues that cannot be mistaken for a warning. */
const hues = [60, 85, 120, 165, 210, 250, 300]

/** The first letter of a handle, on a colour derived from the handle. */
export function Avatar({ handle, size = 'm' }: { readonly handle: string; readonly size?: 'm' | 'l' }) {
  const sum = [...handle].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 9973, 7)
  return (
    <span
      aria-hidden
      className={styles[size]}
      style={{ '--hue': hues[sum % hues.length] } as React.CSSProperties}
    >
      {handle.slice(0, 1).toUpperCase()}
    </span>
  )
}
