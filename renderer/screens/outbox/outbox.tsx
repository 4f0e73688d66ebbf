import { Send } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { callDesktop, useDesktopQuery } from '../../api/desktop.ts'
import { OutboxList } from '../../parts/outbox-list.tsx'
import { SendTestDialog } from '../../parts/send-test-dialog.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'

export function OutboxScreen() {
  const outbox = useDesktopQuery('outbox.list')
  const { data: view } = useDesktopQuery('settings.view')
  const [isTesting, setTesting] = useState(false)
  return (
    <Page
      action={<Button onClick={() => setTesting(true)}>{t.outbox.test}</Button>}
      lead={t.outbox.lead}
      title={t.outbox.title}
    >
      <Loaded query={outbox}>
        {(messages) =>
          messages.length === 0 ? (
            <EmptyState
              action={<Link href="/server">{t.outbox.settings}</Link>}
              icon={<Send aria-hidden size={28} />}
              title={t.outbox.none}
            >
              {t.outbox.noneText}
            </EmptyState>
          ) : (
            <OutboxList messages={messages} />
          )
        }
      </Loaded>
      {isTesting && (
        <SendTestDialog
          lead={t.outbox.testLead}
          onClose={() => setTesting(false)}
          onSent={(to) => toast(view?.mail.host === '' ? t.outbox.testKept : t.outbox.testSent(to))}
          send={(to) => callDesktop('outbox.test', to)}
          title={t.outbox.test}
        />
      )}
    </Page>
  )
}
