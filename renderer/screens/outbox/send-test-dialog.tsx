import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useMaybeSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Stack } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'

interface SendTestDialogProps {
  readonly title: string
  readonly lead: string
  send(to: string): Promise<unknown>
  onSent(to: string): void
  onClose(): void
}

/** Asks for a recipient and sends a test message. */
export function SendTestDialog({ title, lead, send, onSent, onClose }: SendTestDialogProps) {
  const [to, setTo] = useState(useMaybeSession()?.email ?? '')
  const sending = useMutation({
    mutationFn: send,
    networkMode: 'always',
    onSuccess: () => {
      onSent(to)
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    sending.mutate(to)
  }
  return (
    <Dialog onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack>
          <p>{lead}</p>
          <Field
            autoComplete="email"
            label={t.outbox.testTo}
            onChange={(event) => setTo(event.target.value)}
            required
            type="email"
            value={to}
          />
          <FormError error={sending.error} />
        </Stack>
        <DialogActions>
          <Button onClick={onClose}>{t.ui.cancel}</Button>
          <Button busy={sending.isPending} look="primary" type="submit">
            {t.outbox.testSubmit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
