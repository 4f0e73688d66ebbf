import { useState } from 'react'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { Dialog } from '../../ui/dialog.tsx'
import styles from './outbox.module.css'
import { OutboxList } from './outbox-list.tsx'

/** A hint where to find an emailed code that did not arrive. The desktop opens the outbox in a dialog. */
export function OutboxHint() {
  const [isOpen, setOpen] = useState(false)
  if (!desktop) return t.mail.outbox
  return (
    <span className={styles.hint}>
      {t.mail.inOutbox}
      <button onClick={() => setOpen(true)} type="button">
        {t.mail.openOutbox}
      </button>
      {isOpen && (
        <Dialog onClose={() => setOpen(false)} title={t.nav.outbox}>
          <OutboxList />
        </Dialog>
      )}
    </span>
  )
}
