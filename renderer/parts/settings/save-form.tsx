import { type ReactNode, useEffect, useRef } from 'react'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Form } from '../../ui/form.tsx'
import { Panel, Stack } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import styles from './save-form.module.css'

interface SaveFormProps {
  readonly isChanged: boolean
  readonly busy: boolean
  readonly error: unknown
  /** Problems of the last save. The first invalid field gets the focus. */
  readonly problems: object | undefined
  readonly children: ReactNode
  /** Extra content beside the buttons. */
  readonly more?: ReactNode
  onSave(): void
  onDiscard(): void
}

/** A form with Save and Discard. */
export function SaveForm(props: SaveFormProps) {
  const { isChanged, busy, error, problems, children, more, onSave, onDiscard } = props
  const form = useRef<HTMLFormElement>(null)
  useUnsaved(isChanged)
  // biome-ignore lint/correctness/useExhaustiveDependencies: run for each result
  useEffect(() => {
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid]')
    field?.focus({ preventScroll: true })
    // Centred, so that the error below it is visible.
    field?.scrollIntoView({ block: 'center' })
  }, [problems])
  const submit = () => {
    if (isChanged) onSave()
    else toast(t.server.saved)
  }
  return (
    <Panel padded>
      <Form busy={busy} noValidate onSubmit={submit} ref={form}>
        <Stack>
          {children}
          <FormError error={error} />
          <div className={styles.foot}>
            <Button busy={busy} variant={isChanged ? 'primary' : 'plain'} type="submit">
              {t.ui.save}
            </Button>
            {isChanged && (
              <Button variant="quiet" onClick={onDiscard}>
                {t.server.discard}
              </Button>
            )}
            {more}
            {isChanged && <p className={styles.note}>{t.server.restartNote}</p>}
          </div>
        </Stack>
      </Form>
    </Panel>
  )
}
