import { FileX } from 'lucide-react'
import { useRef } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { parseAtUri } from '../../api/at-uri.ts'
import { type Body, callAs } from '../../api/client.ts'
import { trackedFetch } from '../../api/connection.ts'
import { usePages, useWork } from '../../api/hooks.ts'
import { blobUrl } from '../../api/images.ts'
import { collectionName } from '../../parts/apps/collection-name.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Row, RowList, Section } from '../../ui/page.tsx'
import { More } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'

const { listMissingBlobs, uploadBlob } = com.core.repo
const pageSize = 50

/** The files that records of the account name and that this server does not have intact. */
export function useMissingMedia() {
  return usePages(listMissingBlobs, { limit: pageSize }, (page) => page.blobs)
}

/** The missing and damaged files of records, with a button to upload them. Empty if there are none. */
export function MissingMediaSection() {
  const list = useMissingMedia()
  if (list.items.length === 0) return null
  return (
    <Section action={<UploadButton />} lead={t.data.missingLead} title={t.data.missing}>
      <RowList label={t.data.missing}>
        {list.items.map((blob) => (
          <MissingRow blob={blob} key={blob.cid} />
        ))}
      </RowList>
      <More list={list} />
    </Section>
  )
}

function MissingRow({ blob }: { readonly blob: Body<typeof listMissingBlobs.main>['blobs'][number] }) {
  const { collection, rkey } = parseAtUri(blob.recordUri)
  return (
    <Row
      as="li"
      detail={
        <>
          {blob.damaged ? t.data.missingWhy.damaged : t.data.missingWhy.absent}
          <br />
          {blob.cid}
        </>
      }
      icon={<FileX aria-hidden size={20} strokeWidth={1.75} />}
      title={`${collectionName(collection)} · ${rkey}`}
    />
  )
}

/** @returns how many were missing, and the names of the others */
async function uploadFiles(did: string, files: readonly File[]) {
  const others: string[] = []
  for (const file of files) {
    const { blob } = await callAs(did, uploadBlob, { body: file })
    const cid = 'ref' in blob ? String(blob.ref) : blob.cid
    // Only files that a record names are served.
    const { ok } = await trackedFetch(new URL(blobUrl(did, cid)), { method: 'HEAD' })
    if (!ok) others.push(file.name)
  }
  return { restored: files.length - others.length, others }
}

/** Uploads files that the person chooses. The server knows them by their content. */
function UploadButton() {
  const input = useRef<HTMLInputElement>(null)
  const upload = useWork(uploadFiles, 'all', {
    onSuccess({ restored, others }) {
      if (restored > 0) toast(t.data.missingUploaded(restored))
      for (const name of others) toast(t.data.missingOther(name))
    },
    onError: toastError,
  })
  return (
    <>
      <Button busy={upload.isPending} onClick={() => input.current?.click()}>
        {t.data.missingUpload}
      </Button>
      <input
        aria-label={t.data.missingUpload}
        hidden
        multiple
        onChange={(event) => {
          upload.mutate([...(event.target.files ?? [])])
          // So that the same file can be chosen again.
          event.target.value = ''
        }}
        ref={input}
        type="file"
      />
    </>
  )
}
