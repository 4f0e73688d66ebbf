import { useMutation, useQuery } from '@tanstack/react-query'
import { File, FileX, Film, Image, Images, type LucideIcon, Music } from 'lucide-react'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { trackedFetch } from '../../api/connection.ts'
import { downloadAs, saveFile } from '../../api/download.ts'
import { usePages } from '../../api/hooks.ts'
import { blobUrl } from '../../api/images.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { formatBytes } from '../../strings/format.ts'
import { Section } from '../../ui/page.tsx'
import { EmptyState, Paged } from '../../ui/states.tsx'
import { toastError } from '../../ui/toast.tsx'
import { extensionOf } from './archive.ts'
import styles from './data.module.css'
import { useMissingMedia } from './missing-media-section.tsx'

const { listBlobs, getBlob } = com.core.sync
const pageSize = 24

/** The files of the account, each a button that downloads it. */
export function MediaSection() {
  const { did } = useSession()
  const list = usePages(listBlobs, { did, limit: pageSize }, (page) => page.cids)
  const missing = useMissingMedia()
  // The next section lists them.
  if (list.isSuccess && list.items.length === 0 && missing.items.length > 0) return null
  return (
    <Section lead={t.data.mediaLead} title={t.data.media}>
      <Paged
        className={styles.media}
        empty={<EmptyState icon={Images} text={t.data.noMediaText} title={t.data.noMedia} />}
        label={t.data.media}
        list={list}
        rows={2}
      >
        {(cid) => <MediaTile cid={cid} did={did} key={cid} />}
      </Paged>
    </Section>
  )
}

type Kind = keyof typeof t.data.mediaKinds

const icons: Readonly<Record<Kind, LucideIcon>> = {
  image: Image,
  video: Film,
  audio: Music,
  file: File,
  missing: FileX,
}

/** A file as a button that downloads it; pictures are shown. */
function MediaTile({ did, cid }: { readonly did: string; readonly cid: string }) {
  const info = useFileInfo(did, cid)
  const { type = '', size } = info.data ?? {}
  const kind = info.isError ? 'missing' : kindOf(type)
  const name = t.data.mediaKinds[kind]
  const detail = size === undefined ? '' : formatBytes(size)
  const label = t.data.mediaLabel(name, detail)
  const save = useMutation({
    mutationFn: () => downloadAs(did, getBlob, { did, cid }),
    onSuccess: (content) => saveFile(content, `${cid}${extensionOf(type)}`),
    onError: toastError,
  })
  return (
    <li>
      <button
        aria-label={label}
        className={styles.tile}
        onClick={() => save.mutate()}
        title={label}
        type="button"
      >
        <TilePreview kind={kind} url={blobUrl(did, cid, 'avatar_thumbnail')} />
        <span className={styles.tileText}>{detail || name}</span>
      </button>
    </li>
  )
}

/** The picture, or an icon for other files and pictures that the browser cannot show. */
function TilePreview({ kind, url }: { readonly kind: Kind; readonly url: string }) {
  const [isBroken, setBroken] = useState(false)
  if (kind === 'image' && !isBroken) {
    return (
      <img alt="" className={styles.tilePicture} loading="lazy" onError={() => setBroken(true)} src={url} />
    )
  }
  const Icon = icons[kind]
  return (
    <span className={styles.tileIcon}>
      <Icon aria-hidden size={28} strokeWidth={1.5} />
    </span>
  )
}

/** The type and size of a file, from its headers. */
function useFileInfo(did: string, cid: string) {
  return useQuery({
    queryKey: [did, getBlob.$nsid, cid],
    queryFn: async ({ signal }) => {
      const response = await trackedFetch(new URL(blobUrl(did, cid)), { method: 'HEAD', signal })
      if (!response.ok) throw new Error('file not found')
      const { headers } = response
      return { type: headers.get('content-type') ?? '', size: Number(headers.get('content-length')) }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

function kindOf(type: string): Kind {
  const [kind = ''] = type.split('/')
  return kind === 'image' || kind === 'video' || kind === 'audio' ? kind : 'file'
}
