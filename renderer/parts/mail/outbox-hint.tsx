import { useState } from 'react'
import { useKeepsMail } from '../../api/codes.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { Dialog } from '../../ui/dialog.tsx'
import styles from './outbox.module.css'
import { OutboxList } from './outbox-list.tsx'

/** A hint where to find a code in the outbox. The desktop opens it in a dialog. */
export function OutboxHint() {
  const [isOpen, setOpen] = useState(false)
  const keepsMail = useKeepsMail()
  if (!desktop) return keepsMail ? t.mail.askOwner : t.mail.missing
  return (
    <span className={styles.hint}>
      {!keepsMail && t.mail.missing}
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
