import { useState } from 'react'
import { useIsOwner } from '../../api/account.ts'
import { useKeepsMail } from '../../api/codes.ts'
import { isAtServer } from '../../api/endpoint.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { Dialog } from '../../ui/dialog.tsx'
import styles from './outbox.module.css'
import { OutboxList } from './outbox-list.tsx'

interface OutboxHintProps {
  /** Whether the code may be read with the session of an owner in a browser. */
  readonly isForOwner?: boolean | undefined
}

/** A hint where to find a code in the outbox. The desktop opens it in a dialog, and so does the owner in a browser beside the server. */
export function OutboxHint({ isForOwner = false }: OutboxHintProps) {
  const [isOpen, setOpen] = useState(false)
  const keepsMail = useKeepsMail()
  const isOwner = useIsOwner()
  if (!desktop && !(isOwner && isAtServer && isForOwner)) return keepsMail ? t.mail.askOwner : t.mail.missing
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
