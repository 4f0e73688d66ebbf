import { MailX } from 'lucide-react'
import { useState } from 'react'
import { useAsk } from '../../api/desktop.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import styles from './outbox.module.css'
import { OutboxList } from './outbox-list.tsx'

/** Where a mailed code is when no mail arrives: in the desktop, one step away. */
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
  const outbox = useAsk('outbox.list')
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
