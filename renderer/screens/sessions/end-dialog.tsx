import { useQueryClient } from '@tanstack/react-query'
import { com } from '../../../lexicons/generated/index.ts'
import { callAs } from '../../api/client.ts'
import { keyOf } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { useDialogWork } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { clientName } from './client-name.ts'

const { listSessions, revokeSession } = com.core.server

interface EndDialogProps {
  readonly sessions: readonly { readonly id: string; readonly client?: string | undefined }[]
  onClose(): void
}

/** Asks for confirmation before ending one or more sessions. */
export function EndDialog({ sessions, onClose }: EndDialogProps) {
  const { did } = useSession()
  const queries = useQueryClient()
  const isOne = sessions.length === 1
  const end = useDialogWork({
    run: () => Promise.all(sessions.map(({ id }) => callAs(did, revokeSession, { body: { id } }))),
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(did, listSessions) }),
    done: isOne ? t.sessions.ended : t.sessions.endedOthers(sessions.length),
    onClose,
  })
  return (
    <ConfirmDialog
      {...end}
      action={t.sessions.end}
      title={isOne ? t.sessions.endTitle : t.sessions.endOthersTitle}
    >
      {isOne
        ? t.sessions.endText(clientName(sessions[0]?.client))
        : t.sessions.endOthersText(sessions.length)}
    </ConfirmDialog>
  )
}
