import { MessageCircleOff } from 'lucide-react'
import { useParams } from 'wouter'
import { app } from '../../../lexicons/generated/index.ts'
import { formatAtUri } from '../../api/at-uri.ts'
import { errorName } from '../../api/call-errors.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { useIsRemoved } from '../../api/removed-posts.ts'
import { t } from '../../strings/en.ts'
import { PreviousLink } from '../../ui/links.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { type Thread, ThreadView, useMissingText } from './thread.tsx'

const { threadViewPost } = app.example.feed.defs

const replyLevels = 6
const ancestors = 20

/** A post in its thread: its parents above it, its replies below. */
export function PostScreen() {
  const uri = formatAtUri(useParams<{ repo: string; collection: string; rkey: string }>())
  const isRemoved = useIsRemoved(uri)
  const query = useXrpcQuery(app.example.feed.getPostThread, {
    uri: uri as Thread['post']['uri'],
    depth: replyLevels,
    parentHeight: ancestors,
  })
  return (
    <Page before={<PreviousLink />} title={t.post.title}>
      {isRemoved ? (
        <EmptyState icon={MessageCircleOff} text={t.post.undoText} title={t.post.deletedHere} />
      ) : errorName(query.error) === 'NotFound' ? (
        <Missing uri={uri} />
      ) : (
        <Loaded query={query}>
          {({ thread }) =>
            threadViewPost.isTypeOf(thread) ? <ThreadView thread={thread} /> : <Missing uri={uri} />
          }
        </Loaded>
      )}
    </Page>
  )
}

function Missing({ uri }: { readonly uri: string }) {
  const title = useMissingText(uri)
  return <EmptyState icon={MessageCircleOff} text={t.post.missingText} title={title} />
}
