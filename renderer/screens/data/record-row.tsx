import type { LexValue } from '@atproto/lex-data'
import { lexStringify } from '@atproto/lex-json'
import { Trash2 } from 'lucide-react'
import { parseAtUri } from '../../api/at-uri.ts'
import type { StoredRecord } from '../../api/record-removal.ts'
import { usePost, useProfile } from '../../api/views.ts'
import { Thumbnails } from '../../parts/posts/thumbnails.tsx'
import { t } from '../../strings/en.ts'
import { IconButton } from '../../ui/button.tsx'
import { CopyBlock, CopyField } from '../../ui/copy.tsx'
import { Dialog, DialogButton } from '../../ui/dialog.tsx'
import { Row, Stack } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import styles from './data.module.css'
import type { useRecordRemoval } from './records.ts'
import { createdAtOf, summaryOf } from './summary.ts'

interface RecordRowProps {
  readonly record: StoredRecord
  readonly removal: ReturnType<typeof useRecordRemoval>
}

/** A record with its summary, and buttons to view and delete it. */
export function RecordRow({ record, removal }: RecordRowProps) {
  const { repo, rkey } = parseAtUri(record.uri)
  const { text, subject } = summaryOf(record.value)
  const createdAt = createdAtOf(record.value)
  return (
    <Row
      action={
        <>
          <DialogButton
            aria-label={t.data.viewLabel(rkey)}
            dialog={(close) => <RecordDialog onClose={close} record={record} />}
            size="s"
          >
            {t.data.view}
          </DialogButton>
          <IconButton
            busy={removal.isPending && removal.variables === record}
            icon={<Trash2 aria-hidden size={16} />}
            label={t.data.removeLabel(rkey)}
            onClick={() => removal.mutate(record)}
            size="s"
          />
        </>
      }
      as="li"
      detail={
        <>
          {createdAt && (
            <>
              <RelativeTime at={createdAt} /> ·{' '}
            </>
          )}
          <code>{rkey}</code>
        </>
      }
      title={
        <div className={styles.summary}>
          <p className={styles.text}>
            {text ??
              (subject ? <Subject of={subject} /> : <span className={styles.soft}>{t.data.noText}</span>)}
          </p>
          <Thumbnails did={repo} record={record.value} />
        </div>
      }
    />
  )
}

/** The text of the post or the name of the account that a record refers to; its URI or DID if it is not known here. */
function Subject({ of }: { readonly of: string }) {
  const isRecord = of.startsWith('at://')
  const { data: post } = usePost(isRecord ? of : undefined)
  const { data: profile } = useProfile(of.startsWith('did:') ? of : undefined)
  const { text } = summaryOf(post?.record)
  if (profile) return <PersonName of={profile} />
  return <>{text ?? <span className={styles.soft}>{of}</span>}</>
}

/** A record as JSON. */
function RecordDialog({ record, onClose }: { readonly record: StoredRecord; onClose(): void }) {
  const json = JSON.stringify(JSON.parse(lexStringify(record.value as LexValue)), null, 2)
  return (
    <Dialog onClose={onClose} title={t.data.recordTitle} wide>
      <Stack>
        <CopyBlock label={t.data.copyJson} text={json} wrap />
        <div>
          <CopyField label={t.ui.copyAddress} name={t.data.uri} text={record.uri} />
          <CopyField label={t.data.copyCid} name={t.data.cid} text={record.cid} />
        </div>
      </Stack>
    </Dialog>
  )
}
