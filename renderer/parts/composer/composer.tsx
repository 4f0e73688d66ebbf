/** Writes posts: inline on Home, and in `composer-dialog.tsx` for replies and quotes. */
import { t } from '../../strings/en.ts'
import { Panel } from '../../ui/page.tsx'
import { ComposerForm } from './composer-form.tsx'
import { ContextCard } from './context-card.tsx'
import type { ComposerProps } from './use-composer.ts'

/** The form for a post, in a frame of its own. A reply is written in the frame of its thread, below the post. */
export function Composer(props: ComposerProps) {
  const { replyTo, quote } = props
  const form = (
    <>
      <ContextCard quote={quote} />
      <ComposerForm {...props} />
    </>
  )
  return (
    <section aria-label={t.composer.dialog[kindOf(props)]}>
      {replyTo ? form : <Panel padded>{form}</Panel>}
    </section>
  )
}

/** What kind of post is written. */
export function kindOf({ replyTo, quote }: ComposerProps): 'post' | 'reply' | 'quote' {
  if (replyTo) return 'reply'
  return quote ? 'quote' : 'post'
}
