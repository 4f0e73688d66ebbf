import { useStore } from '../store.ts'
import { t } from '../strings/en.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { leave, pendingPath, stay } from './location.ts'

/** Asks for confirmation before unsaved changes are discarded. */
export function LeaveDialog() {
  if (useStore(pendingPath) === undefined) return null
  return (
    <Dialog onClose={stay} title={t.leave.title}>
      <p>{t.leave.text}</p>
      <DialogActions>
        <Button onClick={leave}>{t.leave.leave}</Button>
        <Button variant="primary" onClick={stay}>
          {t.leave.stay}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
