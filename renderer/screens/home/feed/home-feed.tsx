import { ArrowUp } from 'lucide-react'
import { useMemo, useRef } from 'react'
import { Link } from 'wouter'
import type { FeedItem } from '../../../api/feed-pages.ts'
import { useNewPosts, useTimeline } from '../../../api/feeds.ts'
import { useOwnProfile } from '../../../api/profile.ts'
import { useSession } from '../../../api/sessions.ts'
import { FeedList } from '../../../parts/feed/feed-list.tsx'
import { personPath } from '../../../parts/posts/paths.ts'
import { t } from '../../../strings/en.ts'
import { Button } from '../../../ui/button.tsx'
import { Section } from '../../../ui/page.tsx'
import { ErrorState, Skeleton } from '../../../ui/states.tsx'
import styles from './home-feed.module.css'
import { isPostOf } from './is-post-of.ts'
import { PeopleToFollow } from './people-to-follow.tsx'

/**
 * The timeline of the account, and people to follow at its end. New posts are offered above it.
 * @param props.except AT URIs of posts that are shown elsewhere on the screen
 */
export function HomeFeed({ except }: { readonly except: readonly string[] }) {
  const { did, status } = useSession()
  const timeline = useTimeline()
  const pages = useMemo(() => timeline.pages.map((items) => without(items, except)), [timeline.pages, except])
  const section = useRef<HTMLDivElement>(null)
  const newPosts = useNewPosts(timeline.data)
  const { data: profile } = useOwnProfile(did)
  const isEmpty = pages.every(({ length }) => length === 0) && !timeline.hasNextPage
  const show = () => {
    newPosts.show()
    window.scrollTo(0, section.current?.offsetTop ?? 0)
    section.current?.focus({ preventScroll: true })
  }
  return (
    <Section action={<Link href={personPath(did)}>{t.feed.ownProfile}</Link>} title={t.feed.title}>
      <div className={styles.feed} ref={section} tabIndex={-1}>
        <div aria-live="polite" className={styles.offer}>
          {newPosts.count > 0 && (
            <Button icon={<ArrowUp aria-hidden size={16} />} onClick={show} variant="primary">
              {t.feed.newPosts(newPosts.count, newPosts.isCapped)}
            </Button>
          )}
        </div>
        {timeline.isPending && <Skeleton rows={4} />}
        {timeline.isLoadingError && (
          <ErrorState error={timeline.error} onRetry={() => void timeline.refetch()} />
        )}
        {timeline.isSuccess && isEmpty && (
          <p className="soft">{profile?.followsCount ? t.feed.nothingYet : t.feed.followsNone}</p>
        )}
        <FeedList hidesMuted label={t.feed.title} list={timeline} pages={pages} />
        {timeline.isSuccess && !timeline.hasNextPage && status === undefined && <PeopleToFollow />}
      </div>
    </Section>
  )
}

/** Returns the same array if it has none of the posts. */
function without(items: readonly FeedItem[], uris: readonly string[]): readonly FeedItem[] {
  return items.some((item) => isPostOf(uris, item)) ? items.filter((item) => !isPostOf(uris, item)) : items
}
