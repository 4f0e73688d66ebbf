import { useRef, useState } from 'react'
import { Link } from 'wouter'
import { useUnreadCount } from '../../api/notifications.ts'
import { useSession } from '../../api/sessions.ts'
import { newAccount } from '../../parts/account/welcome.ts'
import { Composer } from '../../parts/composer/composer.tsx'
import { useStore } from '../../store.ts'
import { t } from '../../strings/en.ts'
import { Page } from '../../ui/page.tsx'
import { ConnectSection } from './connect-section.tsx'
import { HomeFeed } from './feed/home-feed.tsx'
import { JustPosted } from './feed/just-posted.tsx'
import { FirstSteps } from './first-steps.tsx'
import styles from './home.module.css'
import { StateRow } from './state-row.tsx'

/** Whether the feed is below the first steps, and not below the form: in one column. */
const isFeedFar = () => !window.matchMedia('(width >= 100rem)').matches

/** Whether all is well, what there is to do, and what is new. */
export function HomeScreen() {
  const { did, handle } = useSession()
  const unread = useUnreadCount()
  const isNew = useStore(newAccount) === did
  const [posted, setPosted] = useState<readonly string[]>([])
  const connect = useRef<HTMLDetailsElement>(null)
  const showConnect = () => {
    const { current: details } = connect
    if (!details) return
    details.open = true
    details.querySelector('summary')?.focus({ preventScroll: true })
    details.scrollIntoView()
  }
  return (
    <Page
      columns
      action={unread > 0 && <Link href="/notifications">{t.home.unread(unread)}</Link>}
      lead={isNew ? t.home.welcome(handle) : t.home.lead}
      title={t.nav.home}
    >
      <div className={styles.home}>
        <StateRow />
        <div className={styles.write}>
          <Composer onPosted={(uri) => isFeedFar() && setPosted([...posted, uri])} />
          <JustPosted uris={posted} />
        </div>
        <FirstSteps onConnect={showConnect} />
        <ConnectSection ref={connect} />
        {/* Last, because it has no end. */}
        <div className={styles.read}>
          <HomeFeed except={posted} />
        </div>
      </div>
    </Page>
  )
}
