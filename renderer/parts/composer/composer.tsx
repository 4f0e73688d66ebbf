/** Writes posts: inline on Home, and in a dialog for replies and quotes. */
import { useState } from 'react'
import { type PostContext, usePosting } from '../../api/posts.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Stack } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'

export interface ComposerProps extends PostContext {
  readonly autoFocus?: boolean
  /** Called with the AT URI of the new post. */
  onPosted?(uri: string): void
}

/** The form for a new post. */
export function Composer({ replyTo, quote, autoFocus = false, onPosted }: ComposerProps) {
  const [text, setText] = useState('')
  const posting = usePosting({
    onSuccess: ({ uri }) => {
      setText('')
      toast(t.composer.posted)
      onPosted?.(uri)
    },
  })
  return (
    <Form
      busy={posting.isPending || text.trim() === ''}
      onSubmit={() => posting.mutate({ text, replyTo, quote })}
    >
      <Stack>
        <TextArea
          autoFocus={autoFocus}
          label={t.composer.label}
          onChange={({ target }) => setText(target.value)}
          placeholder={replyTo ? t.composer.replyPlaceholder : t.composer.placeholder}
          rows={3}
          unmarked
          value={text}
        />
        <FormError error={posting.error} />
        <div className="buttons">
          <Button busy={posting.isPending} type="submit" variant="primary">
            {replyTo ? t.composer.reply : t.composer.post}
          </Button>
        </div>
      </Stack>
    </Form>
  )
}
