/** Writes posts: inline on Home, and in `composer-dialog.tsx` for replies and quotes. */
import { t } from '../../strings/en.ts'
import { Panel } from '../../ui/page.tsx'
import { ComposerForm } from './composer-form.tsx'
import { ContextCard } from './context-card.tsx'
import type { ComposerProps } from './use-composer.ts'

/** The form for a new post, framed. Its draft is kept. */
export function Composer(props: ComposerProps) {
  return (
    <section aria-label={t.composer.dialog[kindOf(props)]}>
      <Panel padded>
        <ContextCard {...props} />
        <ComposerForm {...props} />
      </Panel>
    </section>
  )
}

/** What kind of post is written. */
export function kindOf({ replyTo, quote }: ComposerProps): 'post' | 'reply' | 'quote' {
  if (replyTo) return 'reply'
  return quote ? 'quote' : 'post'
}
