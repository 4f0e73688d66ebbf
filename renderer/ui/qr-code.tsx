import { encode } from 'uqr'
import styles from './qr-code.module.css'

/** Modules around the symbol (ISO/IEC 18004 §9.1). */
const quietZone = 4

/** A text as a QR code, black on white in any theme. */
export function QrCode({ label, text }: { readonly label: string; readonly text: string }) {
  const { data, size } = encode(text, { border: quietZone, ecc: 'M' })
  const dark = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
  return (
    <svg aria-label={label} className={styles.code} role="img" viewBox={`0 0 ${size} ${size}`}>
      <path d={dark.join('')} />
    </svg>
  )
}
