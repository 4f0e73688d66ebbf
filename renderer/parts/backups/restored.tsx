import { useQueryClient } from '@tanstack/react-query'
import type { Restored } from '../../../electron/ground/bridge.ts'
import { createStore, useStore } from '../../store.ts'
import { t } from '../../strings/en.ts'
import { formatDateTime } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Panel, Stack } from '../../ui/page.tsx'
import { Notice } from '../../ui/states.tsx'

/** The result of a restore. That of a salvage has only the folder. */
type Result = Partial<Restored> & Pick<Restored, 'replaced'>

/** Undefined once dismissed. */
const lastResult = createStore<Result | undefined>(undefined)

/** Shows the result of a restore or salvage. Rendered above all screens, because a restore can end the session. */
export function RestoredDialog() {
  const result = useStore(lastResult)
  if (result === undefined) return null
  const { at, missingMedia = 0, replaced } = result
  const close = () => lastResult.set(undefined)
  return (
    <Dialog onClose={close} title={at === undefined ? t.salvage.done : t.restoring.doneTitle}>
      <Stack>
        {at !== undefined && <p>{t.restoring.doneText(formatDateTime(at))}</p>}
        {missingMedia > 0 && <Notice variant="warn">{t.restoring.missing(missingMedia)}</Notice>}
        {replaced !== '' && (
          <>
            <p>{t.restoring.previousText}</p>
            <Panel>
              <CopyField label={t.ui.copyPath} name={t.restoring.previousData} text={replaced} />
            </Panel>
          </>
        )}
        {at !== undefined && <p>{t.restoring.signIn}</p>}
      </Stack>
      <DialogActions>
        <Button variant="primary" onClick={close}>
          {t.ui.close}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Returns a function that shows a result, and reads everything again. */
export function useRestored(): (result: Result) => void {
  const client = useQueryClient()
  return (result) => {
    lastResult.set(result)
    void client.invalidateQueries()
  }
}
