/** The records and media of an account as one ZIP file, put together in the page. */
import type { CidString } from '@atproto/lex-schema'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { callAs } from '../../api/client.ts'
import { downloadAs, saveFile } from '../../api/download.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { toast } from '../../ui/toast.tsx'
import { createZip, maxZipBytes, maxZipFiles } from './zip.ts'

const { getRepo, getBlob, listBlobs } = com.core.sync

export interface Progress {
  readonly done: number
  readonly total: number
}

/** Downloads all files, one by one, then saves the archive. @returns the mutation, its progress, and how to cancel it */
export function useArchive() {
  const { did, handle } = useSession()
  const [progress, setProgress] = useState<Progress>()
  const controller = useRef<AbortController>(undefined)
  const archive = useMutation({
    mutationFn: () => {
      controller.current = new AbortController()
      return createArchive(did, controller.current.signal, setProgress)
    },
    onSuccess: (content) => {
      saveFile(content, `${handle}.zip`)
      toast(t.data.saved)
    },
    onSettled: () => setProgress(undefined),
  })
  const cancel = () => {
    controller.current?.abort()
    archive.reset()
  }
  return { archive, progress, cancel }
}

/** @throws a text for people if the archive would be too large for its format */
async function createArchive(
  did: string,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<Blob> {
  const cids = await listFiles(did, signal)
  const total = cids.length + 1
  onProgress({ done: 0, total })
  const zip = createZip()
  let bytes = 0
  const add = async (name: string, content: Blob) => {
    bytes += content.size
    if (bytes > maxZipBytes || total > maxZipFiles) throw t.data.archiveTooLarge
    await zip.add(name, content)
  }
  await add('repository.car', await downloadAs(did, getRepo, { did }, signal))
  for (const [index, cid] of cids.entries()) {
    onProgress({ done: index + 1, total })
    const content = await downloadAs(did, getBlob, { did, cid }, signal)
    await add(`media/${cid}${extensionOf(content.type)}`, content)
  }
  return zip.finish()
}

async function listFiles(did: string, signal: AbortSignal): Promise<readonly CidString[]> {
  const cids: CidString[] = []
  let cursor: string | undefined
  do {
    const page = await callAs(did, listBlobs, { params: { did: did as never, limit: 1000, cursor }, signal })
    cids.push(...(page.cids as CidString[]))
    cursor = page.cursor
  } while (cursor !== undefined)
  return cids
}

const extensions: Readonly<Record<string, string>> = { jpeg: '.jpg', quicktime: '.mov', 'svg+xml': '.svg' }

/** The file extension of a media type; empty for types other than images, audio and video. */
export function extensionOf(type: string): string {
  const [, subtype = ''] = /^(?:image|video|audio)\/([\w+-]+)/.exec(type) ?? []
  return subtype === '' ? '' : (extensions[subtype] ?? `.${subtype}`)
}
