/** Posts a draft, and offers to undo it. */
import { useIsMutating } from '@tanstack/react-query'
import { type RefObject, useState } from 'react'
import { explain } from '../../api/call-errors.ts'
import type { PostContext } from '../../api/post-record.ts'
import { type NewPost, useDeletePost, usePosting } from '../../api/posts.ts'
import { newTid } from '../../api/tid.ts'
import { t } from '../../strings/en.ts'
import { toast, toastError } from '../../ui/toast.tsx'
import { postPath } from '../posts/paths.ts'
import { changeDraft, type Draft, removePosted, returnToDraft } from './drafts.ts'
import { languageOrDefault } from './languages.ts'
import { useArrival } from './use-arrival.ts'

interface Options extends PostContext {
  /** The identifier of the draft. */
  readonly id: string
  /** The text field, which gets the focus after Undo. */
  readonly field: RefObject<HTMLTextAreaElement | null>
  /** Called with the AT URI of the new post. */
  readonly onPosted: ((uri: string) => void) | undefined
}

interface DraftPost extends NewPost {
  readonly draft: Draft
}

export function useDraftPosting({ id, field, onPosted, replyTo, quote }: Options) {
  const [uploading, setUploading] = useState<number>()
  const undoing = useDeletePost({
    onSuccess: (_, { draft }: { readonly uri: string; readonly draft: Draft }) => {
      returnToDraft(id, draft)
      toast(t.composer.undone)
      field.current?.focus()
    },
    onError: toastError,
  })
  const mutationKey = ['post', id]
  // Also by a form that was left meanwhile.
  const isPosting = useIsMutating({ mutationKey, exact: true }) > 0
  useArrival(id, isPosting)
  const posting = usePosting({
    mutationKey,
    onSuccess: ({ uri, unknownHandles }, { draft }: DraftPost) => {
      removePosted(id, draft)
      toast(t.composer.posted(unknownHandles), () => undoing.mutate({ uri, draft }), postPath(uri))
      onPosted?.(uri)
    },
    // The form was closed meanwhile.
    onError: (error) => field.current?.isConnected || toastError(error),
  })
  return {
    isPosting,
    /** The index of the picture that is being uploaded. */
    uploading: posting.isPending ? uploading : undefined,
    error: posting.error && `${explain(posting.error)} ${t.composer.kept}`,
    post(draft: Draft): void {
      if (isPosting) return
      const { rkey = newTid(), text, pictures } = draft
      const isRepeated = draft.rkey !== undefined
      const language = languageOrDefault(draft.language)
      changeDraft(id, (current) => ({ ...current, rkey }))
      setUploading(undefined)
      posting.mutate({
        ...{ rkey, isRepeated, text, pictures, language, draft, replyTo, quote },
        onUpload: setUploading,
      })
    },
  }
}
