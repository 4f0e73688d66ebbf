/** The records and media of an account as one ZIP file, put together in the page. */
import type { DidString } from '@atproto/lex-schema'
import { useMutation } from '@tanstack/react-query'
import { downloadZip } from 'client-zip'
import { useRef, useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { callForAll } from '../../api/client.ts'
import { downloadAs, saveFile } from '../../api/download.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { toast } from '../../ui/toast.tsx'

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

async function createArchive(
  did: string,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<Blob> {
  let cause: unknown
  async function* files() {
    try {
      yield* filesOf(did, signal, onProgress)
    } catch (error) {
      cause = error
      throw error
    }
  }
  try {
    // The browser keeps a large blob on disk.
    return await downloadZip(files()).blob()
  } catch (error) {
    // The error of a body that is a stream does not say why the stream failed.
    throw cause ?? error
  }
}

/** The files have no date of their own: this is the earliest one of the format. */
const lastModified = new Date(1980, 0, 1)

async function* filesOf(did: string, signal: AbortSignal, onProgress: (progress: Progress) => void) {
  const params = { did: did as DidString, limit: 1000 }
  const cids = await callForAll(did, listBlobs, params, (page) => page.cids, signal)
  const total = cids.length + 1
  onProgress({ done: 0, total })
  yield { name: 'repository.car', lastModified, input: await downloadAs(did, getRepo, { did }, signal) }
  for (const [index, cid] of cids.entries()) {
    onProgress({ done: index + 1, total })
    const input = await downloadAs(did, getBlob, { did, cid }, signal)
    yield { name: `media/${cid}${extensionOf(input.type)}`, lastModified, input }
  }
}

const extensions: Readonly<Record<string, string>> = { jpeg: '.jpg', quicktime: '.mov', 'svg+xml': '.svg' }

/** The file extension of a media type; empty for types other than images, audio and video. */
export function extensionOf(type: string): string {
  const [, subtype = ''] = /^(?:image|video|audio)\/([\w+-]+)/.exec(type) ?? []
  return subtype === '' ? '' : (extensions[subtype] ?? `.${subtype}`)
}
