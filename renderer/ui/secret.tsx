import { useState } from 'react'
import { t } from '../strings/en.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy.tsx'
import { DialogActions } from './dialog.tsx'
import styles from './secret.module.css'

interface SecretProps {
  /** The kind of secret, such as “App password”. */
  readonly name: string
  readonly value: string
  onSaved(): void
}

/** Shows a secret once. The button becomes primary after the secret is copied. */
export function Secret({ name, value, onSaved }: SecretProps) {
  const [isKept, setKept] = useState(false)
  return (
    <div>
      <div className={styles.secret}>
        <output aria-label={name} className={styles.value}>
          {value}
        </output>
        <CopyButton full label={t.ui.copy} onCopied={() => setKept(true)} text={value} />
      </div>
      <p className={styles.once}>{t.ui.shownOnce}</p>
      <DialogActions>
        <Button variant={isKept ? 'primary' : 'plain'} onClick={onSaved}>
          {t.ui.saved}
        </Button>
      </DialogActions>
    </div>
  )
}
