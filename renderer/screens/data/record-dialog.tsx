import type { LexValue } from '@atproto/lex-data'
import { lexStringify } from '@atproto/lex-json'
import { t } from '../../strings/en.ts'
import { CopyBlock, CopyField } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Stack } from '../../ui/page.tsx'
import type { StoredRecord } from './records.ts'

/** A record as JSON. */
export function RecordDialog({ record, onClose }: { readonly record: StoredRecord; onClose(): void }) {
  const json = JSON.stringify(JSON.parse(lexStringify(record.value as LexValue)), null, 2)
  return (
    <Dialog onClose={onClose} title={t.data.recordTitle} wide>
      <Stack>
        <CopyBlock label={t.data.copyJson} text={json} wrap />
        <div>
          <CopyField label={t.data.copyUri} name={t.data.uri} text={record.uri} />
          <CopyField label={t.data.copyCid} name={t.data.cid} text={record.cid} />
        </div>
      </Stack>
    </Dialog>
  )
}
