import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import styles from './button.module.css'
import { classes } from './class-names.ts'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary`: the one thing to do here. `danger`: cannot be undone. `quiet`: no frame until pointed at. */
  readonly look?: 'primary' | 'plain' | 'danger' | 'quiet'
  readonly size?: 'm' | 's'
  readonly icon?: ReactNode
  /** Work is under way: the button keeps its size and focus, and does nothing. */
  readonly busy?: boolean
  readonly ref?: Ref<HTMLButtonElement>
}

export function Button({
  look = 'plain',
  size = 'm',
  icon,
  busy = false,
  type = 'button',
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      // A disabled button would lose the focus, and with it the place of somebody who uses the keyboard.
      aria-disabled={busy || undefined}
      className={classes(styles.button, styles[look], styles[size], busy && styles.busy, className)}
      onClick={(event) => {
        if (busy) event.preventDefault()
        else onClick?.(event)
      }}
      type={type}
    >
      {icon}
      {children !== undefined && <span>{children}</span>}
      {busy && <span aria-hidden className={styles.spinner} />}
    </button>
  )
}

/** A button that shows only an icon. @param label what it does, for those who do not see it, and on hover */
export function IconButton({ label, ...rest }: ButtonProps & { readonly label: string }) {
  return (
    <Button
      aria-label={label}
      look="quiet"
      title={label}
      {...rest}
      className={classes(styles.iconOnly, rest.className)}
    />
  )
}
