import { useLayoutEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { endpoint } from '../../api/endpoint.ts'
import { usePublicXrpcQuery } from '../../api/hooks.ts'
import { useMaybeSession } from '../../api/sessions.ts'
import { desktop } from '../../bridge.ts'
import { authorizedRequest, entrances, invitedCode } from '../../entrances.ts'
import { ConnectionBanner } from '../../parts/network/connection-banner.tsx'
import { DesktopLinks } from '../../parts/settings/desktop-links.tsx'
import { t } from '../../strings/en.ts'
import { Mark } from '../../ui/mark.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useHold } from '../../ui/unsaved.ts'
import { Authorize } from './authorize.tsx'
import styles from './entrance.module.css'
import { MoveIn } from './move-in.tsx'
import { SavedKinds } from './other-ways.tsx'
import { Recover } from './recover.tsx'
import { RecoverData } from './recover-data.tsx'
import { ResetPassword } from './reset-password.tsx'
import { RestoreCopy } from './restore-copy.tsx'
import { SignIn } from './sign-in.tsx'
import { SignUp } from './sign-up.tsx'
import { WhatIsMade } from './what-is-made.tsx'

/** Sign-in, sign-up, password reset, and bringing or recovering an account. */
export function Entrance() {
  const [path] = useLocation()
  const session = useMaybeSession()
  const request = authorizedRequest(path)
  const inviteCode = invitedCode(path)
  const server = usePublicXrpcQuery(com.core.server.describeServer, {})
  // Its steps are known to this page only.
  useHold(true)
  // The path may stay the same, and with it the scroll position.
  useLayoutEffect(() => () => window.scrollTo(0, 0), [])
  return (
    <div className={styles.entrance}>
      <aside className={styles.side}>
        <div className={styles.brand}>
          <Mark size={40} />
          <span>{t.app.name}</span>
        </div>
        <WhatIsMade />
        <div>
          <p className={styles.address}>{new URL(endpoint).host}</p>
          {desktop && <DesktopLinks />}
        </div>
      </aside>
      <div className={styles.main}>
        {/* A restore stops the server and shows its own progress. */}
        {path !== entrances.restore && <ConnectionBanner />}
        <main className={styles.form}>
          <Loaded query={server}>
            {(description) => {
              if (request !== undefined) return <Authorize id={request} />
              if (path === entrances.reset) return <ResetPassword />
              if (path === entrances.saved && desktop) return <SavedKinds />
              if (path === entrances.restore && desktop) return <RestoreCopy />
              if (path === entrances.moveIn) return <MoveIn server={description} />
              if (path === entrances.recover) return <Recover server={description} />
              if (path === entrances.recoverData && session) return <RecoverData key={session.did} />
              const isFirst = description.unclaimed === true
              const isCreating = path === entrances.create || inviteCode !== undefined
              if (isCreating || (isFirst && path !== entrances.signIn)) {
                return <SignUp inviteCode={inviteCode} isFirst={isFirst} server={description} />
              }
              return <SignIn />
            }}
          </Loaded>
          {session && request === undefined && path !== entrances.recoverData && (
            <p className={styles.back}>
              <Link href="/">{t.welcome.back(session.handle)}</Link>
            </p>
          )}
        </main>
      </div>
    </div>
  )
}
