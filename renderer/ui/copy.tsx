import { Check, Copy } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { t } from '../strings/en.ts'
import { Button, IconButton } from './button.tsx'
import { classes } from './class-names.ts'
import styles from './copy.module.css'

const shownForMs = 2000

/** Copies a text. `navigator.clipboard` exists only on secure origins, hence the fallback. */
export async function copyText(text: string): Promise<void> {
  if ('clipboard' in navigator) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  // Inside the open dialog, if any: text outside of it cannot be selected.
  const parent = document.querySelector('dialog[open]') ?? document.body
  parent.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

function useCopy(text: string, onCopied?: () => void) {
  const [isCopied, setCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async () => {
    await copyText(text)
    setCopied(true)
    onCopied?.()
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setCopied(false), shownForMs)
  }
  return { isCopied, copy }
}

interface CopyProps {
  readonly text: string
  /** The accessible name, such as “Copy DID”. */
  readonly label: string
  onCopied?(): void
}

/** Copies a text, then shows and announces “Copied”. */
export function CopyButton({ text, label, onCopied, full = false }: CopyProps & { readonly full?: boolean }) {
  const { isCopied, copy } = useCopy(text, onCopied)
  const icon = isCopied ? <Check aria-hidden size={16} /> : <Copy aria-hidden size={16} />
  return (
    <span className={styles.button}>
      {full ? (
        <Button icon={icon} onClick={copy}>
          {isCopied ? t.ui.copied : label}
        </Button>
      ) : (
        <>
          {isCopied && (
            <span aria-hidden className={styles.bubble}>
              {t.ui.copied}
            </span>
          )}
          <IconButton icon={icon} label={label} onClick={copy} size="s" />
        </>
      )}
      <span className="visually-hidden" role="status">
        {isCopied ? t.ui.copied : ''}
      </span>
    </span>
  )
}

/** A named text with a copy button. */
export function CopyField({ name, text, label }: CopyProps & { readonly name: string }) {
  return (
    <div className={styles.field}>
      <span className={styles.name}>{name}</span>
      <code className={styles.text}>{text}</code>
      <CopyButton label={label} text={text} />
    </div>
  )
}

/** A block of code with a copy button. */
export function CopyBlock({ text, label, wrap = false }: CopyProps & { readonly wrap?: boolean }) {
  return (
    <div className={styles.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard */}
      <pre className={classes(styles.pre, wrap && styles.wrap)} tabIndex={0}>
        {text}
      </pre>
      <div className={styles.blockButton}>
        <CopyButton label={label} text={text} />
      </div>
    </div>
  )
}
