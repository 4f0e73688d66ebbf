import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReplacedData } from '../../../electron/ground/bridge.ts'
import { useIsOwner } from '../../api/account.ts'
import { isAtServer } from '../../api/endpoint.ts'
import { forget, putBack, readReplaced } from '../../api/restores.ts'
import { useMaybeSession } from '../../api/sessions.ts'
import { desktop } from '../../bridge.ts'
import { ProofFields, proofError, proofOf } from '../../parts/account/proof-fields.tsx'
import { useDialogWork } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { formatBytes, formatDate, formatDateTime } from '../../strings/format.ts'
import { ConfirmDialog, DialogButton } from '../../ui/dialog.tsx'
import { Row, RowList, Section } from '../../ui/page.tsx'

/** The folders with data that a restore replaced, each with buttons to put it back and to delete it. Empty if there are none. */
export function ReplacedSection() {
  const did = useMaybeSession()?.did ?? ''
  const isOwner = useIsOwner()
  const { data: folders = [] } = useQuery({
    queryKey: replacedKey(did),
    queryFn: () => readReplaced(did),
    enabled: desktop !== undefined || (isOwner && isAtServer),
    networkMode: desktop ? 'always' : 'online',
  })
  if (folders.length === 0) return null
  return (
    <Section lead={t.backups.replacedLead} title={t.backups.replaced}>
      <RowList label={t.backups.replaced}>
        {folders.map((folder) => (
          <ReplacedRow folder={folder} key={folder.name} />
        ))}
      </RowList>
    </Section>
  )
}

const actions = ['putBack', 'forget'] as const
const replacedKey = (did: string) => [did, 'replaced data']

function ReplacedRow({ folder }: { readonly folder: ReplacedData }) {
  const { replacedAt, keptUntil, bytes } = folder
  const when = formatDateTime(replacedAt)
  return (
    <Row
      action={actions.map((action) => (
        <DialogButton
          aria-label={t.backups.replacedLabels[action](when)}
          dialog={(close) => <ReplacedDialog action={action} folder={folder} onClose={close} />}
          key={action}
          size="s"
        >
          {t.backups.replacedActions[action]}
        </DialogButton>
      ))}
      as="li"
      detail={t.backups.replacedDetail(formatBytes(bytes), formatDate(keptUntil))}
      title={when}
    />
  )
}

interface ReplacedDialogProps {
  readonly action: (typeof actions)[number]
  readonly folder: ReplacedData
  onClose(): void
}

function ReplacedDialog({ action, folder, onClose }: ReplacedDialogProps) {
  const { name, replacedAt, bytes } = folder
  const client = useQueryClient()
  const work = useDialogWork({
    run: (field, did) =>
      action === 'putBack'
        ? putBack(did, name, replacedAt, proofOf(field))
        : forget(did, name, proofOf(field)),
    done: t.backups.replacedDone[action],
    onDone: () => void client.invalidateQueries(),
    onClose,
  })
  return (
    <ConfirmDialog
      {...work}
      error={desktop ? work.error : proofError(work.error)}
      dismissible={!work.busy}
      action={t.backups.replacedSubmits[action]}
      title={t.backups.replacedTitles[action]}
    >
      <p>{t.backups.replacedTexts[action](formatDateTime(replacedAt), formatBytes(bytes))}</p>
      {!desktop && <ProofFields error={work.error} />}
    </ConfirmDialog>
  )
}
