import { useMemo } from 'react'
import { app } from '../../../lexicons/generated/index.ts'
import { errorName } from '../../api/call-errors.ts'
import { usePages } from '../../api/hooks.ts'
import type { ProfileView } from '../../api/views.ts'
import { FeedList } from '../../parts/feed/feed-list.tsx'
import { t } from '../../strings/en.ts'
import { Section } from '../../ui/page.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'

const { getAuthorFeed } = app.example.feed

const pageSize = 30

/** The posts, replies and reposts of a person, unless one of the two blocks the other. */
export function PersonPosts({ profile: { did, viewer } }: { readonly profile: ProfileView }) {
  const isBlocked = viewer?.blocking !== undefined || viewer?.blockedBy === true
  return (
    <Section title={t.people.posts}>
      {isBlocked ? (
        <p className="soft">{viewer?.blocking ? t.people.blockedPosts : t.people.blocksYouPosts}</p>
      ) : (
        <Posts actor={did} />
      )}
    </Section>
  )
}

/** Blocks that are newer than the profile. */
const texts: Readonly<Record<string, string>> = {
  BlockedActor: t.people.blockedPosts,
  BlockedByActor: t.people.blocksYouPosts,
}

function Posts({ actor }: { readonly actor: ProfileView['did'] }) {
  const list = usePages(
    getAuthorFeed,
    { actor, limit: pageSize, filter: 'posts_with_replies', includePins: false },
    ({ feed }) => feed,
  )
  const pages = useMemo(() => list.data?.pages.map(({ feed }) => feed) ?? [], [list.data])
  const error = texts[errorName(list.error) ?? ''] ?? list.error
  return (
    <>
      {list.isPending && <Skeleton rows={3} />}
      {list.isLoadingError && <ErrorState error={error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && list.items.length === 0 && <p className="soft">{t.people.noPosts}</p>}
      <FeedList label={t.people.posts} list={list} pages={pages} />
    </>
  )
}
