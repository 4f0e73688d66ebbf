/** The state of the form for a post. */
import { type ClipboardEvent, useMemo, useRef, useState } from 'react'
import type { PostContext } from '../../api/post-record.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { formatNumber } from '../../strings/format.ts'
import { changeDraft, type Draft, draftId, maxDraftLength, useDraft } from './drafts.ts'
import { languageOrDefault, rememberLanguage } from './languages.ts'
import { problemOf, sizeOf } from './problem.ts'
import { useAddingPictures } from './use-adding-pictures.ts'
import { useDraftPosting } from './use-draft-posting.ts'

export interface ComposerProps extends PostContext {
  readonly autoFocus?: boolean
  /** Called with the AT URI of the new post. */
  onPosted?(uri: string): void
}

export function useComposer({ replyTo, quote, onPosted }: ComposerProps) {
  const { did, status } = useSession()
  const field = useRef<HTMLTextAreaElement>(null)
  const id = draftId(did, { replyTo, quote })
  const draft = useDraft(id)
  const [isCut, setCut] = useState(false)
  const size = useMemo(() => sizeOf(draft.text), [draft.text])
  const pictureCount = draft.pictures.length
  const adding = useAddingPictures(id, pictureCount)
  const posting = useDraftPosting({
    ...{ id, field, replyTo, quote },
    onPosted(uri) {
      adding.reset()
      setCut(false)
      onPosted?.(uri)
    },
  })
  const hasQuote = quote !== undefined
  const problem = problemOf({ size, pictureCount, hasQuote, isReading: adding.isReading, status })
  const change = (changed: Partial<Draft>) => changeDraft(id, (before) => ({ ...before, ...changed }))
  return {
    ...{ field, draft, size, problem, adding, posting, change },
    language: languageOrDefault(draft.language),
    /** What went wrong last. */
    error: posting.error ?? adding.problem ?? (isCut && t.composer.cut(formatNumber(maxDraftLength))),
    changeLanguage(language: string) {
      rememberLanguage(language)
      change({ language })
    },
    onPaste(event: ClipboardEvent) {
      setCut(event.clipboardData.getData('text/plain').length > maxDraftLength)
      adding.onPaste(event)
    },
    submit() {
      if (problem === undefined) posting.post(draft)
      else field.current?.focus()
    },
  }
}
