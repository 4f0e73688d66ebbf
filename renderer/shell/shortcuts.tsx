import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { isShownTo, screens } from '../navigation.ts'
import { createStore, useStore } from '../store.ts'
import { t } from '../strings/en.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Switch } from '../ui/switch.tsx'
import { undoLatest } from '../ui/toast.tsx'
import { paletteKeys } from './palette/palette.tsx'
import styles from './shortcuts.module.css'

export const isHelpOpen = createStore(false)

const offKey = 'pds.shortcuts.off'

/** Single-key shortcuts interfere with speech input, so they can be turned off (WCAG 2.1.4). */
const isEnabled = createStore(localStorage.getItem(offKey) === null)

const sequenceMs = 1500

/** Shortcuts that work outside of text fields, and the dialog that lists them. */
export function Shortcuts({ isOwner }: { readonly isOwner: boolean }) {
  const [, navigate] = useLocation()
  const isOpen = useStore(isHelpOpen)
  useEffect(() => {
    let lastG = Number.NEGATIVE_INFINITY
    const press = (event: KeyboardEvent) => {
      if (!isEnabled.get() || isIgnored(event)) return
      if (event.key === '?') isHelpOpen.set(true)
      if (event.timeStamp - lastG < sequenceMs) {
        const screen = screens.filter(isShownTo(isOwner)).find(({ key }) => key === event.key)
        if (screen) navigate(screen.path)
      } else if (event.key === t.shortcuts.undoKey) undoLatest()
      lastG = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [isOwner, navigate])
  return isOpen ? <Help isOwner={isOwner} /> : null
}

function isIgnored(event: KeyboardEvent): boolean {
  const target = event.target as Element
  const isTyping = target.matches('input:not([type="checkbox"]), textarea, select, [contenteditable]')
  return (
    isTyping ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    document.querySelector('dialog[open]') !== null
  )
}

function Help({ isOwner }: { readonly isOwner: boolean }) {
  const enabled = useStore(isEnabled)
  const toggle = (on: boolean) => {
    isEnabled.set(on)
    if (on) localStorage.removeItem(offKey)
    else localStorage.setItem(offKey, '1')
  }
  return (
    <Dialog onClose={() => isHelpOpen.set(false)} title={t.nav.shortcuts}>
      <dl className={styles.list}>
        {screens.filter(isShownTo(isOwner)).map(({ path, name, key }) => (
          <div className={styles.line} key={path}>
            <dt>{t.shortcuts.goTo(name)}</dt>
            <dd>
              <kbd>{t.shortcuts.gKey}</kbd> {t.shortcuts.followedBy} <kbd>{key}</kbd>
            </dd>
          </div>
        ))}
        {[
          [t.palette.open, paletteKeys],
          [t.shortcuts.undo, t.shortcuts.undoKey],
          [t.shortcuts.help, t.shortcuts.helpKey],
          [t.shortcuts.esc, t.shortcuts.escKey],
        ].map(([name, key]) => (
          <div className={styles.line} key={name}>
            <dt>{name}</dt>
            <dd>
              <kbd>{key}</kbd>
            </dd>
          </div>
        ))}
      </dl>
      <Switch checked={enabled} label={t.shortcuts.enabled} onChange={toggle} />
    </Dialog>
  )
}
