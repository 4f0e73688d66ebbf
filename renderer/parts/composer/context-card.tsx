import type { PostContext } from '../../api/post-record.ts'
import type { PostView } from '../../api/views.ts'
import { t } from '../../strings/en.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Address, PersonName } from '../../ui/person.tsx'
import { RichText } from '../posts/rich-text.tsx'
import styles from './composer.module.css'

/** The posts that a draft replies to and quotes. */
export function ContextCard({ replyTo, quote }: PostContext) {
  return (
    <>
      {replyTo && <Excerpt label={t.composer.replyingTo} of={replyTo} />}
      {quote && <Excerpt label={t.composer.quoting} of={quote} />}
    </>
  )
}

function Excerpt({ label, of: { author, record } }: { readonly label: string; readonly of: PostView }) {
  return (
    <blockquote aria-label={label} className={styles.context}>
      <p className={styles.author}>
        <Avatar handle={author.handle} picture={author.avatar} size="s" />
        <strong>
          <PersonName of={author} />
        </strong>
        <Address of={author} />
      </p>
      <RichText record={record} />
    </blockquote>
  )
}
