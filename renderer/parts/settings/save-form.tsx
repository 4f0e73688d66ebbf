import { type ReactNode, useEffect, useRef } from 'react'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { PanelForm } from '../../ui/panel-form.tsx'
import { toast } from '../../ui/toast.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'

interface SaveFormProps {
  readonly isChanged: boolean
  readonly busy: boolean
  readonly error: unknown
  /** Problems of the last save. The first invalid field gets the focus. */
  readonly problems: object | undefined
  readonly children: ReactNode
  /** Whether saving restarts the server, as it does in the desktop. */
  readonly restarts?: boolean
  /** Extra content beside the buttons. */
  readonly more?: ReactNode
  onSave(): void
  onDiscard(): void
}

/** A form with Save and Discard. */
export function SaveForm(props: SaveFormProps) {
  const { isChanged, busy, error, problems, children, more, onSave, onDiscard } = props
  const { restarts = desktop !== undefined } = props
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
    <PanelForm
      action={t.ui.save}
      busy={busy}
      error={error}
      more={
        <>
          {isChanged && (
            <Button variant="quiet" onClick={onDiscard}>
              {t.server.discard}
            </Button>
          )}
          {more}
          {isChanged && <p className="soft">{restarts ? t.server.restartNote : t.server.laterNote}</p>}
        </>
      }
      noValidate
      onSubmit={submit}
      ref={form}
      variant={isChanged ? 'primary' : 'plain'}
    >
      {children}
    </PanelForm>
  )
}
