import styles from './avatar.module.css'

/** The first letter of a handle, on a colour of its own. */
export function Avatar({ handle, size = 'm' }: { readonly handle: string; readonly size?: 'm' | 'l' }) {
  const hue = [...handle].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7)
  return (
    <span aria-hidden className={styles[size]} style={{ '--hue': hue } as React.CSSProperties}>
      {handle.slice(0, 1).toUpperCase()}
    </span>
  )
}
