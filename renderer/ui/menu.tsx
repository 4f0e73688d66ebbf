import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { classes } from './class-names.ts'
import styles from './menu.module.css'

interface MenuProps {
  /** The content of the button. */
  readonly trigger: ReactNode
  /** Visually hidden text before the trigger; both form the accessible name. */
  readonly label?: string
  readonly triggerClass?: string | undefined
  /** The side of the button on which the menu opens. */
  readonly side?: 'above' | 'below'
  readonly children: ReactNode
}

/**
 * A button that opens a menu. The popover API closes it on Escape and outside clicks, and restores the focus. Items exist while it
 * is open, so that long lists stay small.
 */
export function Menu({ trigger, label, triggerClass = styles.icon, side = 'below', children }: MenuProps) {
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  return (
    <div className={styles.anchor}>
      <button aria-haspopup="menu" className={triggerClass} popoverTarget={id} type="button">
        {label && <span className="visually-hidden">{label} </span>}
        {trigger}
      </button>
      <div
        className={classes(styles.menu, styles[side])}
        id={id}
        // Before it is shown, so that it is placed with the size of its items.
        onBeforeToggle={({ newState }) => {
          if (newState === 'open') flushSync(() => setOpen(true))
        }}
        onClick={(event) => {
          if ((event.target as Element).closest('[role^="menuitem"]')) menu.current?.hidePopover()
        }}
        onKeyDown={move}
        onToggle={(event) => {
          if (event.newState === 'open') items(menu.current)[0]?.focus()
          else setOpen(false)
        }}
        popover="auto"
        ref={menu}
        role="menu"
        tabIndex={-1}
      >
        {isOpen && children}
      </div>
    </div>
  )
}

interface MenuItemProps {
  readonly icon?: ReactNode
  readonly children: ReactNode
  /** For a radio item: whether it is selected. */
  readonly checked?: boolean
  readonly danger?: boolean
  onSelect(): void
}

export function MenuItem({ icon, children, checked, danger = false, onSelect }: MenuItemProps) {
  return (
    <button
      {...(checked === undefined ? { role: 'menuitem' } : { role: 'menuitemradio', 'aria-checked': checked })}
      className={classes(styles.item, danger && styles.danger)}
      onClick={onSelect}
      tabIndex={-1}
      type="button"
    >
      {icon}
      <span className={styles.itemText}>{children}</span>
      {checked && <span aria-hidden className={styles.mark} />}
    </button>
  )
}

export function MenuSeparator() {
  return <hr className={styles.separator} />
}

function items(menu: Element | null): HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]
}

/** Arrow keys, Home and End move between items (ARIA menu pattern). */
function move(event: KeyboardEvent<HTMLElement>): void {
  // Closing restores the focus to the button, so Tab moves on from there.
  if (event.key === 'Tab') event.currentTarget.hidePopover()
  const all = items(event.currentTarget)
  const at = all.indexOf(document.activeElement as HTMLElement)
  const targets: Record<string, number> = {
    ArrowDown: (at + 1) % all.length,
    ArrowUp: (at - 1 + all.length) % all.length,
    Home: 0,
    End: all.length - 1,
  }
  const target = targets[event.key]
  if (target === undefined) return
  event.preventDefault()
  all[target]?.focus()
}
