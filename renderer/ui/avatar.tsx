import { useState } from 'react'
import { imageUrl } from '../api/images.ts'
import styles from './avatar.module.css'

/** Hues that cannot be mistaken for a warning. */
const hues = [60, 85, 120, 165, 210, 250, 300]

interface AvatarProps {
  readonly handle: string
  /** The URL of the picture in the profile, if any. */
  readonly picture?: string | undefined
  readonly size?: 's' | 'm' | 'l'
}

/** The picture of an account. Until it loads, and if there is none: the first letter of the handle, on a colour derived from it. */
export function Avatar({ handle, picture, size = 'm' }: AvatarProps) {
  const [broken, setBroken] = useState<string>()
  const sum = [...handle].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 9973, 7)
  const src = imageUrl(picture)
  return (
    <span
      aria-hidden
      className={styles[size]}
      style={{ '--hue': hues[sum % hues.length] } as React.CSSProperties}
    >
      {handle.slice(0, 1).toUpperCase()}
      {src && src !== broken && (
        <img alt="" className={styles.picture} loading="lazy" onError={() => setBroken(src)} src={src} />
      )}
    </span>
  )
}
