import { useMutation, useQueryClient } from '@tanstack/react-query'
import { com } from '../../../lexicons/generated/index.ts'
import { callAs } from '../../api/client.ts'
import { keyOf } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { clientName } from './client-name.ts'

interface EndDialogProps {
  readonly sessions: readonly { readonly id: string; readonly client?: string | undefined }[]
  onClose(): void
}

/** Asks for confirmation before ending one or more sessions. */
export function EndDialog({ sessions, onClose }: EndDialogProps) {
  const { did } = useSession()
  const queries = useQueryClient()
  const isOne = sessions.length === 1
  const end = useMutation({
    mutationFn: () =>
      Promise.all(sessions.map(({ id }) => callAs(did, com.core.server.revokeSession, { body: { id } }))),
    onSuccess: () => {
      toast(isOne ? t.sessions.ended : t.sessions.endedOthers(sessions.length))
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(did, com.core.server.listSessions) }),
  })
  return (
    <ConfirmDialog
      action={t.sessions.end}
      busy={end.isPending}
      error={end.error}
      onClose={onClose}
      onSubmit={() => end.mutate()}
      title={isOne ? t.sessions.endTitle : t.sessions.endOthersTitle}
    >
      {isOne
        ? t.sessions.endText(clientName(sessions[0]?.client))
        : t.sessions.endOthersText(sessions.length)}
    </ConfirmDialog>
  )
}
