import { createStore, useStore } from '../../api/store.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Stack } from '../../ui/page.tsx'
import styles from './backups.module.css'

/** The folder that keeps what was there before the last restoration, until somebody has read it; empty when nothing was there. */
export const restoredFrom = createStore<string | undefined>(undefined)

/** Says where the former data is. It stands above all screens, for a restoration may end the session of the one below. */
export function Restored() {
  const folder = useStore(restoredFrom)
  if (folder === undefined) return null
  const close = () => restoredFrom.set(undefined)
  return (
    <Dialog onClose={close} title={t.backups.restoredTitle}>
      <Stack>
        {folder !== '' && (
          <>
            <p>{t.backups.restoredText}</p>
            <div className={styles.framed}>
              <CopyField label={t.backups.copyFolder} name={t.backups.previousData} text={folder} />
            </div>
          </>
        )}
        <p>{t.backups.restoredSignIn}</p>
      </Stack>
      <DialogActions>
        <Button look="primary" onClick={close}>
          {t.ui.close}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
