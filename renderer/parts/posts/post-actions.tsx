import { Heart, type LucideIcon, MessageCircle, Quote, Repeat2 } from 'lucide-react'
import { useState } from 'react'
import { type PostRef, useCountWritten, useReaction } from '../../api/reactions.ts'
import type { PostView } from '../../api/views.ts'
import { t } from '../../strings/en.ts'
import { formatNumber } from '../../strings/format.ts'
import { toastError } from '../../ui/toast.tsx'
import { ComposerDialog } from '../composer/composer-dialog.tsx'
import styles from './post-actions.module.css'
import { PostMenu } from './post-menu.tsx'

interface PostActionsProps {
  readonly post: PostView
  /** The repost through which the post was found. */
  readonly via?: PostRef | undefined
}

/** The buttons of a post. Their names have the counts. */
export function PostActions({ post, via }: PostActionsProps) {
  const [writing, setWriting] = useState<'reply' | 'quote'>()
  const like = useReaction('like', post, { via, onError: toastError })
  const repost = useReaction('repost', post, { via, onError: toastError })
  const countWritten = useCountWritten(post)
  const { replyCount = 0, repostCount = 0, quoteCount = 0, likeCount = 0, viewer } = post
  return (
    <div className={styles.actions}>
      <Action
        count={replyCount}
        disabled={viewer?.replyDisabled}
        Icon={MessageCircle}
        name={t.post.action(t.post.reply, t.post.replies(replyCount))}
        onClick={() => setWriting('reply')}
      />
      <Action
        count={repostCount}
        Icon={Repeat2}
        name={t.post.action(t.post.repost, t.post.reposts(repostCount))}
        onClick={repost.toggle}
        pressed={repost.isOn}
      />
      <Action
        count={likeCount}
        Icon={Heart}
        name={t.post.action(t.post.like, t.post.likes(likeCount))}
        onClick={like.toggle}
        pressed={like.isOn}
      />
      <Action
        count={quoteCount}
        disabled={viewer?.embeddingDisabled}
        Icon={Quote}
        name={t.post.action(t.post.quote, t.post.quotes(quoteCount))}
        onClick={() => setWriting('quote')}
      />
      <PostMenu post={post} />
      {writing && (
        <ComposerDialog
          onClose={() => setWriting(undefined)}
          onPosted={() => countWritten(writing)}
          {...(writing === 'reply' ? { replyTo: post } : { quote: post })}
        />
      )}
    </div>
  )
}

interface ActionProps {
  readonly Icon: LucideIcon
  /** The accessible name, with the count. */
  readonly name: string
  readonly count: number
  /** For a button that stays pressed. */
  readonly pressed?: boolean
  readonly disabled?: boolean | undefined
  onClick(): void
}

function Action({ Icon, name, count, pressed, disabled = false, onClick }: ActionProps) {
  return (
    <button
      aria-pressed={pressed}
      className={styles.action}
      disabled={disabled}
      onClick={onClick}
      title={name}
      type="button"
    >
      <Icon aria-hidden size={18} strokeWidth={1.75} />
      {count > 0 && <span aria-hidden>{formatNumber(count)}</span>}
      <span className="visually-hidden">{name}</span>
    </button>
  )
}
