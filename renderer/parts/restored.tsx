import { createStore, useStore } from '../store.ts'
import { t } from '../strings/en.ts'
import { Button } from '../ui/button.tsx'
import { CopyField } from '../ui/copy.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { Panel, Stack } from '../ui/page.tsx'

/** The data from before the last restore or salvage; undefined once dismissed. */
interface PreviousData {
  /** Empty if there was none. */
  readonly folder: string
  readonly by: 'restore' | 'salvage'
}

export const previousData = createStore<PreviousData | undefined>(undefined)

/** Shows where the previous data is. Rendered above all screens, because a restore can end the session. */
export function RestoredDialog() {
  const previous = useStore(previousData)
  if (previous === undefined) return null
  const { folder, by } = previous
  const close = () => previousData.set(undefined)
  return (
    <Dialog onClose={close} title={by === 'restore' ? t.backups.restoredTitle : t.salvage.done}>
      <Stack>
        {folder !== '' && (
          <>
            <p>{t.backups.restoredText}</p>
            <Panel>
              <CopyField label={t.backups.copyFolder} name={t.backups.previousData} text={folder} />
            </Panel>
          </>
        )}
        {by === 'restore' && <p>{t.backups.restoredSignIn}</p>}
      </Stack>
      <DialogActions>
        <Button variant="primary" onClick={close}>
          {t.ui.close}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
