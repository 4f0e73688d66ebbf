import { isAtIdentifierString } from '@atproto/lex-schema'
import { Ellipsis, Flag, UserX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useParams } from 'wouter'
import { app, com } from '../../../lexicons/generated/index.ts'
import { changeSubscription } from '../../api/activity-subscriptions.ts'
import { useActor } from '../../api/actors.ts'
import { errorName } from '../../api/call-errors.ts'
import type { Body } from '../../api/client.ts'
import { useWork, useXrpcQuery } from '../../api/hooks.ts'
import { nameOf } from '../../api/names.ts'
import { useSession } from '../../api/sessions.ts'
import { NotCarried } from '../../parts/network/not-carried.tsx'
import { FollowButton } from '../../parts/people/person-row.tsx'
import { RelationItems } from '../../parts/people/relation-items.tsx'
import { ReportDialog } from '../../parts/people/report-dialog.tsx'
import { t } from '../../strings/en.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { PreviousLink } from '../../ui/links.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Address, PersonName } from '../../ui/person.tsx'
import { Badge, EmptyState, Loaded } from '../../ui/states.tsx'
import { toastError } from '../../ui/toast.tsx'
import styles from './person.module.css'
import { PersonPosts } from './person-posts.tsx'

const { getProfile } = app.example.actor

type Profile = Body<typeof getProfile.main>

/** A person, here or on another server: profile, relations to the account, and the posts that are here. */
export function PersonScreen() {
  const { did } = useParams<{ did: string }>()
  const isIdentifier = isAtIdentifierString(did)
  const query = useXrpcQuery(getProfile, { actor: did as never }, { staleTime: 0, enabled: isIdentifier })
  const isMissing = !isIdentifier || errorName(query.error) === 'ProfileNotFound'
  return (
    <Page before={<PreviousLink />} title={t.people.title}>
      {isMissing ? (
        <EmptyState icon={UserX} text={t.people.missingText} title={t.people.missing} />
      ) : (
        <Loaded query={query}>
          {(profile) => (
            <>
              <About profile={profile} />
              <PersonPosts profile={profile} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  )
}

function About({ profile }: { readonly profile: Profile }) {
  const session = useSession()
  const { data: actor } = useActor(profile.did)
  const { did, description, avatar, followersCount = 0 } = profile
  return (
    <>
      <Panel>
        <div className={styles.person}>
          <Avatar handle={profile.handle} picture={avatar} size="l" />
          <div className={styles.about}>
            <h2>
              <PersonName of={profile} />
            </h2>
            <Address of={profile} />
            <p className="soft">{t.people.followers(followersCount)}</p>
            <Badges profile={profile} status={actor?.status} />
            {description && (
              <p className={styles.description} dir="auto">
                {description}
              </p>
            )}
          </div>
          {did !== session.did && <Actions profile={profile} />}
        </div>
        <CopyField label={t.ui.copyDid} name={t.ui.did} text={did} />
      </Panel>
      {actor?.isLocal === false && <NotCarried host={actor.host} />}
    </>
  )
}

function Badges({ profile, status }: { readonly profile: Profile; readonly status: string | undefined }) {
  const { followedBy, muted, blocking, blockedBy } = profile.viewer ?? {}
  const statusText = status === undefined ? undefined : t.people.statuses[status]
  return (
    <p className="buttons">
      {statusText && <Badge variant="warn">{statusText}</Badge>}
      {followedBy && <Badge>{t.people.followsYou}</Badge>}
      {muted && <Badge variant="warn">{t.people.states.muted}</Badge>}
      {blocking && <Badge variant="danger">{t.people.states.blocked}</Badge>}
      {blockedBy && <Badge variant="danger">{t.people.states.blocksYou}</Badge>}
    </p>
  )
}

function Actions({ profile }: { readonly profile: Profile }): ReactNode {
  const { did, viewer } = profile
  const [isReporting, setReporting] = useState(false)
  const isSubscribed = viewer?.activitySubscription?.post === true
  const subscribe = useWork(
    (account, post: boolean) => changeSubscription(account, did, { post }, viewer?.activitySubscription),
    [getProfile],
    { onError: toastError },
  )
  const name = nameOf(profile)
  return (
    <div className={styles.actions}>
      <FollowButton person={profile} />
      <Button
        aria-pressed={isSubscribed}
        busy={subscribe.isPending}
        onClick={() => subscribe.mutate(!isSubscribed)}
      >
        {isSubscribed ? t.people.subscribed : t.ui.subscribe}
      </Button>
      <Menu label={t.people.menu(name)} trigger={<Ellipsis aria-hidden size={18} />}>
        <RelationItems person={profile} />
        <MenuItem icon={<Flag aria-hidden size={16} />} onSelect={() => setReporting(true)}>
          {t.people.report}
        </MenuItem>
      </Menu>
      {isReporting && (
        <ReportDialog
          onClose={() => setReporting(false)}
          subject={com.core.admin.defs.repoRef.$build({ did })}
          title={t.people.reportPerson(name)}
        />
      )}
    </div>
  )
}
