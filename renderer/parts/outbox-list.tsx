import type { OutboxMessage } from '../../electron/bridge.ts'
import { useDesktopCall } from '../api/desktop.ts'
import { explain } from '../api/errors.ts'
import { t } from '../strings/en.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { RowList } from '../ui/page.tsx'
import { Notice } from '../ui/states.tsx'
import { RelativeTime } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import styles from './outbox.module.css'

/** Messages, newest first, each with a copyable code. */
export function OutboxList({ messages }: { readonly messages: readonly OutboxMessage[] }) {
  const newestFirst = messages.toSorted((a, b) => b.at.localeCompare(a.at))
  const restore = useDesktopCall('outbox.restore', ['outbox.list'], {
    onError: (error) => toast(explain(error)),
  })
  const remove = useDesktopCall('outbox.delete', ['outbox.list'], {
    onSuccess: (_, [id]) => toast(t.outbox.removed, () => restore.mutate([id])),
    onError: (error) => toast(explain(error)),
  })
  return (
    <RowList label={t.outbox.list}>
      {newestFirst.map((message) => (
        <MessageRow key={message.id} message={message} onRemove={() => remove.mutate([message.id])} />
      ))}
    </RowList>
  )
}

function MessageRow({ message, onRemove }: { readonly message: OutboxMessage; onRemove(): void }) {
  const { at, to, subject, text, code, failure } = message
  return (
    <li className={styles.message}>
      <div className={styles.head}>
        <div className={styles.what}>
          <h2 className={styles.subject}>{subject}</h2>
          <p className={styles.detail}>
            {t.outbox.to} {to} · <RelativeTime at={at} />
          </p>
        </div>
        <Button aria-label={t.outbox.removeLabel(subject, to)} variant="quiet" onClick={onRemove} size="s">
          {t.outbox.remove}
        </Button>
      </div>
      {code && (
        <div className={styles.code}>
          <code>{code}</code>
          <CopyButton label={t.outbox.copyCode(code)} text={code} />
        </div>
      )}
      {failure && (
        <Notice variant="warn">
          <strong>{t.outbox.failed}</strong> {failure}
        </Notice>
      )}
      <details className={styles.text}>
        <summary>{t.outbox.text}</summary>
        <pre>{text}</pre>
      </details>
    </li>
  )
}
