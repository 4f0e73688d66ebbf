import { Copy, Ellipsis, Flag, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { nameOf } from '../../api/names.ts'
import { useSession } from '../../api/sessions.ts'
import type { PostView } from '../../api/views.ts'
import { t } from '../../strings/en.ts'
import { copyText } from '../../ui/copy.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { toast } from '../../ui/toast.tsx'
import { RelationItems } from '../people/relation-items.tsx'
import { ReportDialog } from '../people/report-dialog.tsx'
import styles from './post-actions.module.css'
import { useDeletion } from './use-deletion.ts'

const icon = { 'aria-hidden': true, size: 16 } as const

interface PostProps {
  readonly post: PostView
}

/** The actions on a post that are needed less often. */
export function PostMenu({ post }: PostProps) {
  const { did } = useSession()
  const [isReporting, setReporting] = useState(false)
  const { author, uri, cid } = post
  const name = nameOf(author)
  // An AT URI names the post on every server, and any client finds it.
  const copy = async () => {
    await copyText(uri)
    toast(t.post.linkCopied)
  }
  return (
    <>
      <Menu label={t.post.menu(name)} trigger={<Ellipsis {...icon} />} triggerClass={styles.menu}>
        <MenuItem icon={<Copy {...icon} />} onSelect={() => void copy()}>
          {t.post.copyLink}
        </MenuItem>
        {author.did === did ? (
          <OwnItems post={post} />
        ) : (
          <OthersItems onReport={() => setReporting(true)} post={post} />
        )}
      </Menu>
      {isReporting && (
        <ReportDialog
          onClose={() => setReporting(false)}
          subject={{ $type: com.core.repo.strongRef.$nsid, uri, cid }}
          title={t.people.reportPost(name)}
        />
      )}
    </>
  )
}

function OwnItems({ post }: PostProps) {
  const remove = useDeletion(post)
  return (
    <MenuItem danger icon={<Trash2 {...icon} />} onSelect={remove}>
      {t.post.delete}
    </MenuItem>
  )
}

function OthersItems({ post: { author }, onReport }: PostProps & { onReport(): void }) {
  return (
    <>
      <MenuSeparator />
      <RelationItems person={author} />
      <MenuItem icon={<Flag {...icon} />} onSelect={onReport}>
        {t.people.report}
      </MenuItem>
    </>
  )
}
