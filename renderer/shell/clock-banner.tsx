import { useState } from 'react'
import { com } from '../../lexicons/generated/index.ts'
import { useProcedure, useXrpcQuery } from '../api/hooks.ts'
import { t } from '../strings/en.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Notice } from '../ui/states.tsx'
import { toast } from '../ui/toast.tsx'

const { confirmClock, getClock } = com.core.admin

/** How often the server is asked, in milliseconds. It checks the clock once a minute. */
const pollMs = 60_000

/** Shown to the owner while the clock of the server is implausible. */
export function ClockBanner() {
  const { data: clock } = useXrpcQuery(getClock, {}, { pollMs: () => pollMs })
  const [isAsking, setAsking] = useState(false)
  const confirm = useProcedure(confirmClock, [getClock], {
    onSuccess: () => {
      toast(t.clock.confirmed)
      setAsking(false)
    },
  })
  if (clock?.doubt === undefined) return null
  const action = (
    <Button onClick={() => setAsking(true)} size="s">
      {t.clock.isRight}
    </Button>
  )
  return (
    <Banner>
      <Notice action={action} live variant="warn">
        <strong>{t.clock.wrong(clock.now, clock.trustedAt)}</strong> {t.clock.paused}{' '}
        {clock.elsewhere && t.clock.elsewhere(clock.elsewhere)} {t.clock.fix}
      </Notice>
      {isAsking && (
        <ConfirmDialog
          action={t.clock.confirm}
          busy={confirm.isPending}
          error={confirm.error}
          onClose={() => setAsking(false)}
          onConfirm={() => confirm.mutate(undefined)}
          title={t.clock.confirmTitle(clock.now)}
        >
          {t.clock.confirmText}
        </ConfirmDialog>
      )}
    </Banner>
  )
}
