import { com } from '../../lexicons/generated/index.ts'
import { useXrpcQuery } from '../api/hooks.ts'
import { useDialogAction } from '../parts/dialog-action.ts'
import { t } from '../strings/en.ts'
import { Banner } from '../ui/banner.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { DialogButton } from '../ui/dialog-button.tsx'
import { Notice } from '../ui/states.tsx'

const { confirmClock, getClock } = com.core.admin

/** How often the server is asked, in milliseconds. It checks the clock once per minute. */
const pollMs = 60_000

/** Shown to the owner while the clock of the server is implausible. */
export function ClockBanner() {
  const { data: clock } = useXrpcQuery(getClock, {}, { pollMs: () => pollMs })
  if (clock?.doubt === undefined) return null
  const action = (
    <DialogButton dialog={(close) => <ConfirmClockDialog now={clock.now} onClose={close} />} size="s">
      {t.clock.isRight}
    </DialogButton>
  )
  return (
    <Banner>
      <Notice action={action} live variant="warn">
        <strong>{t.clock.wrong(clock.now, clock.trustedAt)}</strong> {t.clock.paused}{' '}
        {clock.elsewhere && t.clock.elsewhere(clock.elsewhere)} {t.clock.fix}
      </Notice>
    </Banner>
  )
}

function ConfirmClockDialog({ now, onClose }: { readonly now: string; onClose(): void }) {
  const confirm = useDialogAction(confirmClock, { invalidates: [getClock], done: t.clock.confirmed, onClose })
  return (
    <ConfirmDialog {...confirm} action={t.clock.confirm} title={t.clock.confirmTitle(now)}>
      {t.clock.confirmText}
    </ConfirmDialog>
  )
}
