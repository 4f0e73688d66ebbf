import { createStore, useStore } from '../../api/store.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Stack } from '../../ui/page.tsx'
import styles from './backups.module.css'

/** The folder with the data from before the last restore; empty if there was none, undefined once dismissed. */
export const previousData = createStore<string | undefined>(undefined)

/** Shows where the previous data is. Rendered above all screens, because a restore can end the session. */
export function RestoredDialog() {
  const folder = useStore(previousData)
  if (folder === undefined) return null
  const close = () => previousData.set(undefined)
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
        <Button variant="primary" onClick={close}>
          {t.ui.close}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
