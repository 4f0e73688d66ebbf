import { UserX } from 'lucide-react'
import type { ReactNode } from 'react'
import { useParams } from 'wouter'
import { app } from '../../../lexicons/generated/index.ts'
import { changeSubscription } from '../../api/activity-subscriptions.ts'
import { useActor } from '../../api/actors.ts'
import { errorName } from '../../api/call-errors.ts'
import type { Body } from '../../api/client.ts'
import { useFollowing } from '../../api/follows.ts'
import { useWork, useXrpcQuery } from '../../api/hooks.ts'
import { nameOf } from '../../api/names.ts'
import { useSession } from '../../api/sessions.ts'
import { NotCarried } from '../../parts/network/not-carried.tsx'
import { PostCard } from '../../parts/posts/post-card.tsx'
import { t } from '../../strings/en.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { BackLink } from '../../ui/links.tsx'
import { Page, Panel, Section } from '../../ui/page.tsx'
import { Address, PersonName } from '../../ui/person.tsx'
import { Badge, EmptyState, Loaded, LoadedList } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import styles from './person.module.css'

const { getProfile } = app.example.actor
const { getAuthorFeed } = app.example.feed

type Profile = Body<typeof getProfile.main>

const shownPosts = 20

/** A person, here or on another server: profile, follow, subscription and the newest posts that are here. */
export function PersonScreen() {
  const { did } = useParams<{ did: string }>()
  const query = useXrpcQuery(getProfile, { actor: did as never }, { staleTime: 0 })
  const isMissing = errorName(query.error) === 'ProfileNotFound'
  return (
    <Page before={<BackLink href="/notifications" name={t.nav.inbox} />} title={t.people.title}>
      {isMissing ? (
        <EmptyState icon={UserX} text={t.people.missingText} title={t.people.missing} />
      ) : (
        <Loaded query={query}>
          {(profile) => (
            <>
              <About profile={profile} />
              <Posts actor={profile.did} />
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
  const { did, description, avatar, followersCount = 0, viewer } = profile
  const status = actor?.status === undefined ? undefined : t.people.statuses[actor.status]
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
            <p className="buttons">
              {status && <Badge variant="warn">{status}</Badge>}
              {viewer?.followedBy && <Badge>{t.people.followsYou}</Badge>}
            </p>
            {description && <p className={styles.description}>{description}</p>}
          </div>
          {did !== session.did && <Actions profile={profile} />}
        </div>
        <CopyField label={t.ui.copyDid} name={t.ui.did} text={did} />
      </Panel>
      {actor?.isLocal === false && <NotCarried host={actor.host} />}
    </>
  )
}

function Actions({ profile }: { readonly profile: Profile }): ReactNode {
  const { did, viewer } = profile
  const name = nameOf(profile)
  const isSubscribed = viewer?.activitySubscription?.post === true
  const follow = useFollowing({
    onSuccess: (_, { following }) =>
      toast(following === undefined ? t.people.followed(name) : t.people.unfollowed(name)),
    onError: toastError,
  })
  const subscribe = useWork(
    (account, post: boolean) => changeSubscription(account, did, { post }, viewer?.activitySubscription),
    [getProfile],
    { onError: toastError },
  )
  return (
    <div className={styles.actions}>
      <Button
        busy={follow.isPending}
        onClick={() => follow.mutate({ subject: did, following: viewer?.following })}
        variant={viewer?.following ? 'plain' : 'primary'}
      >
        {viewer?.following ? t.people.unfollow : t.ui.follow}
      </Button>
      <Button
        aria-pressed={isSubscribed}
        busy={subscribe.isPending}
        onClick={() => subscribe.mutate(!isSubscribed)}
      >
        {isSubscribed ? t.people.subscribed : t.ui.subscribe}
      </Button>
    </div>
  )
}

function Posts({ actor }: { readonly actor: Profile['did'] }) {
  const query = useXrpcQuery(getAuthorFeed, {
    actor,
    limit: shownPosts,
    filter: 'posts_with_replies',
    includePins: false,
  })
  return (
    <Section title={t.people.posts}>
      <LoadedList
        empty={<p className="soft">{t.people.noPosts}</p>}
        itemsOf={({ feed }) => feed}
        label={t.people.posts}
        query={query}
      >
        {({ post, reason }) => (
          <li key={`${post.uri} ${reason?.$type}`}>
            <PostCard post={post} />
          </li>
        )}
      </LoadedList>
    </Section>
  )
}
