import { type KeyboardEvent, useId } from 'react'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/class-names.ts'
import { Form } from '../../ui/form.tsx'
import { FormError } from '../../ui/states.tsx'
import styles from './composer.module.css'
import { maxDraftLength } from './drafts.ts'
import { Pictures } from './pictures.tsx'
import { TextInput } from './text-input.tsx'
import { Counter, LanguageSelect, PictureButton } from './toolbar.tsx'
import { type ComposerProps, useComposer } from './use-composer.ts'

/** The form for a post, without a frame. */
export function ComposerForm(props: ComposerProps) {
  const { field, draft, language, size, problem, adding, posting, change, ...composer } = useComposer(props)
  const [leftId, problemId] = [useId(), useId()]
  const { isPosting, uploading } = posting
  return (
    <Form
      busy={isPosting}
      className={styles.form}
      isStored
      onDragOver={adding.onDragOver}
      onDrop={adding.onDrop}
      onKeyDown={submitOnEnter}
      onSubmit={composer.submit}
    >
      <TextInput
        aria-describedby={`${leftId} ${problemId}`}
        autoFocus={props.autoFocus}
        lang={draft.text === '' ? undefined : language}
        maxLength={maxDraftLength}
        onChange={(text) => change({ text })}
        onPaste={composer.onPaste}
        placeholder={props.replyTo ? t.composer.replyPlaceholder : t.composer.placeholder}
        readOnly={isPosting}
        ref={field}
        value={draft.text}
      />
      <Pictures
        onChange={(pictures) => change({ pictures })}
        pictures={draft.pictures}
        readOnly={isPosting}
      />
      <FormError error={composer.error} />
      <div className={styles.toolbar}>
        <PictureButton disabled={isPosting} onChoose={adding.add} />
        <LanguageSelect onChange={composer.changeLanguage} value={language} />
        <Counter graphemes={size.graphemes} id={leftId} />
        <PostButton
          busy={isPosting}
          isReply={props.replyTo !== undefined}
          problem={problem}
          problemId={problemId}
        />
      </div>
      <p className={styles.problem} hidden={problem === t.composer.empty} id={problemId}>
        {problem}
      </p>
      <p className={classes('soft', styles.status)} role="status">
        {uploading !== undefined && t.composer.uploading(uploading + 1, draft.pictures.length)}
      </p>
    </Form>
  )
}

interface PostButtonProps {
  readonly busy: boolean
  readonly isReply: boolean
  readonly problem: string | undefined
  /** The element that shows the problem. */
  readonly problemId: string
}

/** While there is a problem, it can have the focus, so that screen readers read why it is disabled. */
function PostButton({ busy, isReply, problem, problemId }: PostButtonProps) {
  return (
    <Button
      aria-describedby={problemId}
      aria-disabled={problem !== undefined || undefined}
      busy={busy}
      type="submit"
      variant="primary"
    >
      {isReply ? t.composer.reply : t.composer.post}
    </Button>
  )
}

/** Control or Command with Enter posts. */
function submitOnEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}
