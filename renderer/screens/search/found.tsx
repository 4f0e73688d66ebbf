import { SearchX } from 'lucide-react'
import { useMemo } from 'react'
import { app } from '../../../lexicons/generated/index.ts'
import type { FeedItem } from '../../api/feed-pages.ts'
import { usePages } from '../../api/hooks.ts'
import type { PostView } from '../../api/views.ts'
import { FeedList } from '../../parts/feed/feed-list.tsx'
import { PersonRow } from '../../parts/people/person-row.tsx'
import { personPath } from '../../parts/posts/paths.ts'
import { t } from '../../strings/en.ts'
import { LinkButton } from '../../ui/links.tsx'
import { EmptyState, ErrorState, Paged, Skeleton } from '../../ui/states.tsx'

const { searchActors } = app.example.actor
const { searchPosts } = app.example.feed

const pageSize = 25

interface FoundProps {
  /** The words, with operators of the server. */
  readonly q: string
}

/** People that this server knows. Someone on another server is looked up by their whole handle. */
export function FoundPeople({ q }: FoundProps) {
  const handle = /^@?([\w-]+(?:\.[\w-]+)+)$/.exec(q)?.[1]
  const list = usePages(searchActors, { q, limit: pageSize }, ({ actors }) => actors)
  return (
    <Paged
      empty={
        <EmptyState
          action={handle && <LinkButton href={personPath(handle)}>{t.search.lookUp(handle)}</LinkButton>}
          icon={SearchX}
          text={t.search.noneText.people}
          title={t.search.none.people}
        />
      }
      label={t.search.kinds.people}
      list={list}
    >
      {(person) => <PersonRow key={person.did} person={person} />}
    </Paged>
  )
}

/** Posts, newest first. The server searches for some time at once, so a page may have none although older posts match. */
export function FoundPosts({ q }: FoundProps) {
  const list = usePages(searchPosts, { q, sort: 'latest', limit: pageSize }, ({ posts }) => posts)
  const pages = useMemo(() => list.data?.pages.map(({ posts }) => itemsOf(posts)) ?? [], [list.data])
  return (
    <>
      {list.isPending && <Skeleton rows={3} />}
      {list.isLoadingError && <ErrorState error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && list.items.length === 0 && !list.hasNextPage && (
        <EmptyState icon={SearchX} text={t.search.noneText.posts} title={t.search.none.posts} />
      )}
      {list.isSuccess && list.items.length === 0 && list.hasNextPage && (
        <p className="soft" role="status">
          {t.search.noneYet}
        </p>
      )}
      <FeedList label={t.search.kinds.posts} list={list} pages={pages} />
    </>
  )
}

const items = new WeakMap<readonly PostView[], readonly FeedItem[]>()

/** The same array for the same posts, as `FeedList` needs it. */
function itemsOf(posts: readonly PostView[]): readonly FeedItem[] {
  const known = items.get(posts) ?? posts.map((post) => ({ post }))
  items.set(posts, known)
  return known
}
