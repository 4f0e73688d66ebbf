import { useQueryClient } from '@tanstack/react-query'
import type { Restored } from '../../electron/bridge.ts'
import { createStore, useStore } from '../store.ts'
import { t } from '../strings/en.ts'
import { formatDateTime } from '../strings/format.ts'
import { Button } from '../ui/button.tsx'
import { CopyField } from '../ui/copy.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { Panel, Stack } from '../ui/page.tsx'
import { Notice } from '../ui/states.tsx'

/** The result of the last restore or salvage. */
type Result = ({ readonly by: 'restore' } & Restored) | { readonly by: 'salvage'; readonly replaced: string }

/** Undefined once dismissed. */
const lastResult = createStore<Result | undefined>(undefined)

/** Shows the result of a restore or salvage. Rendered above all screens, because a restore can end the session. */
export function RestoredDialog() {
  const result = useStore(lastResult)
  if (result === undefined) return null
  const close = () => lastResult.set(undefined)
  return (
    <Dialog onClose={close} title={result.by === 'restore' ? t.restoring.doneTitle : t.salvage.done}>
      <Stack>
        {result.by === 'restore' && <p>{t.restoring.doneText(formatDateTime(result.at))}</p>}
        {result.by === 'restore' && result.missingMedia > 0 && (
          <Notice variant="warn">{t.restoring.missing(result.missingMedia)}</Notice>
        )}
        {result.replaced !== '' && (
          <>
            <p>{t.restoring.previousText}</p>
            <Panel>
              <CopyField
                label={t.restoring.copyFolder}
                name={t.restoring.previousData}
                text={result.replaced}
              />
            </Panel>
          </>
        )}
        {result.by === 'restore' && <p>{t.restoring.signIn}</p>}
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
