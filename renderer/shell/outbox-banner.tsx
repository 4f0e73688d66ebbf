import { Link, useLocation } from 'wouter'
import { useDesktopQuery } from '../api/desktop.ts'
import { createStore, useStore } from '../store.ts'
import { t } from '../strings/en.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/states.tsx'

/** The messages of which the banner was dismissed. */
const dismissed = createStore<ReadonlySet<string>>(new Set())

/** Shown while messages wait in the outbox, until it is dismissed or the outbox is opened. */
export function OutboxBanner() {
  const [path] = useLocation()
  const { data: messages = [] } = useDesktopQuery('outbox.list')
  const seen = useStore(dismissed)
  const waiting = messages.filter(({ id }) => !seen.has(id))
  if (waiting.length === 0 || path === '/outbox') return null
  const dismiss = () => dismissed.set(new Set(messages.map(({ id }) => id)))
  const action = (
    <>
      <Link href="/outbox" onClick={dismiss}>
        {t.mail.openOutbox}
      </Link>
      <Button onClick={dismiss} size="s" variant="quiet">
        {t.ui.dismiss}
      </Button>
    </>
  )
  return (
    <Banner>
      <Notice action={action} live>
        {t.outbox.banner(waiting.length)}
      </Notice>
    </Banner>
  )
}
