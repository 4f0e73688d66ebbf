import { MailX } from 'lucide-react'
import { useState } from 'react'
import { useDesktopQuery } from '../api/desktop.ts'
import { desktop } from '../bridge.ts'
import { t } from '../strings/en.ts'
import { Dialog } from '../ui/dialog.tsx'
import { EmptyState, Loaded } from '../ui/states.tsx'
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
      {isOpen && <OutboxDialog onClose={() => setOpen(false)} />}
    </span>
  )
}

function OutboxDialog({ onClose }: { onClose(): void }) {
  const outbox = useDesktopQuery('outbox.list')
  return (
    <Dialog onClose={onClose} title={t.outbox.title}>
      <Loaded query={outbox}>
        {(messages) =>
          messages.length === 0 ? (
            <EmptyState icon={<MailX aria-hidden size={28} />} title={t.outbox.none}>
              {t.outbox.noneText}
            </EmptyState>
          ) : (
            <OutboxList messages={messages} />
          )
        }
      </Loaded>
    </Dialog>
  )
}
