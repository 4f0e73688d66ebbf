import { com } from '../../../lexicons/generated/index.ts'
import { callAs } from '../../api/client.ts'
import { useRefreshCopies } from '../../api/copies.ts'
import type { Proof } from '../../api/passkeys.ts'
import { removePlace } from '../../api/places.ts'
import { t } from '../../strings/en.ts'
import { ConfirmDialog, DialogButton } from '../../ui/dialog.tsx'
import { Stack } from '../../ui/page.tsx'
import { ProofFields, proofError, proofOf } from '../account/proof-fields.tsx'
import { useDialogWork } from '../dialog-action.ts'

const { acceptEmptyPlace, dismissLostChanges } = com.core.admin

const calls = {
  /** Stops copying to a place. */
  remove: removePlace,
  /** Makes a new copy at a place that has lost its copy. */
  beginAnew: (did: string, url: string, proof: Proof) =>
    callAs(did, acceptEmptyPlace, { body: { url, ...proof } }),
  /** Stops offering changes that this computer has lost. */
  dismiss: (did: string, url: string, proof: Proof) =>
    callAs(did, dismissLostChanges, { body: { url, ...proof } }),
}

interface DecisionProps {
  readonly decision: keyof typeof calls
  readonly url: string
  readonly name: string
}

/** A button for a decision of the owner about a place, after a confirmation. */
export function DecisionButton({ label, ...props }: DecisionProps & { readonly label?: string }) {
  return (
    <DialogButton
      aria-label={label}
      dialog={(close) => <DecisionDialog {...props} onClose={close} />}
      size="s"
    >
      {t.copies.decisions[props.decision]}
    </DialogButton>
  )
}

function DecisionDialog({ decision, url, name, onClose }: DecisionProps & { onClose(): void }) {
  const refresh = useRefreshCopies()
  const work = useDialogWork<unknown>({
    run: (field, did) => calls[decision](did, url, proofOf(field)),
    done: t.copies.decided[decision],
    onDone: () => void refresh(),
    onClose,
  })
  const needsProof = decision !== 'remove'
  return (
    <ConfirmDialog
      {...work}
      action={t.copies.decisionSubmits[decision]}
      error={needsProof ? proofError(work.error) : work.error}
      title={t.copies.decisionTitles[decision](name)}
    >
      <Stack>
        <p>{t.copies.decisionTexts[decision]}</p>
        {needsProof && <ProofFields error={work.error} />}
      </Stack>
    </ConfirmDialog>
  )
}
