import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import styles from './button.module.css'
import { classes } from './class-names.ts'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary`: the main action of a screen. `danger`: cannot be undone. `quiet`: no frame until hovered. */
  readonly variant?: 'primary' | 'plain' | 'danger' | 'quiet' | undefined
  readonly size?: 'm' | 's'
  readonly icon?: ReactNode
  /** Work is in progress: the button ignores clicks but keeps its size and focus. */
  readonly busy?: boolean
  readonly ref?: Ref<HTMLButtonElement>
}

export function Button({
  variant = 'plain',
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
      // `disabled` would drop the focus, and keyboard users would lose their place.
      aria-disabled={busy || rest['aria-disabled']}
      data-primary={variant === 'primary' ? '' : undefined}
      className={classes(styles.button, styles[variant], styles[size], busy && styles.busy, className)}
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

/** A button with only an icon. @param label the accessible name and tooltip */
export function IconButton({ label, ...rest }: ButtonProps & { readonly label: string }) {
  return (
    <Button
      aria-label={label}
      variant="quiet"
      title={label}
      {...rest}
      className={classes(styles.iconOnly, rest.className)}
    />
  )
}
