import { useState } from 'react'
import { t } from '../strings/en.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy.tsx'
import { DialogActions } from './dialog.tsx'
import styles from './secret.module.css'

interface SecretProps {
  /** What it is, such as “App password”. */
  readonly name: string
  readonly value: string
  onSaved(): void
}

/** A secret that is shown this once: the way on is to say that it has been kept. */
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
        <Button look={isKept ? 'primary' : 'plain'} onClick={onSaved}>
          {t.ui.saved}
        </Button>
      </DialogActions>
    </div>
  )
}
