import { Link, useLocation } from 'wouter'
import { com } from '../../lexicons/generated/index.ts'
import type { Body } from '../api/client.ts'
import { useDesktopQuery } from '../api/desktop.ts'
import { useProcedure, useXrpcQuery } from '../api/hooks.ts'
import { hostOf, type Move, useMove } from '../api/moves.ts'
import { useSession } from '../api/sessions.ts'
import { entrances } from '../entrances.ts'
import { useDialogAction } from '../parts/dialog-action.ts'
import { createStore, useStore } from '../store.ts'
import { t } from '../strings/en.ts'
import { formatRelative } from '../strings/format.ts'
import { Banner, Banners } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog, DialogButton } from '../ui/dialog.tsx'
import { Notice } from '../ui/states.tsx'
import { useNow } from '../ui/time.tsx'
import { toast, toastError } from '../ui/toast.tsx'

/** Shown for an account that is deactivated, suspended or taken down, or whose move has stopped its writes. */
export function AccountBanner() {
  const { status } = useSession()
  if (status === undefined) return <StoppedWritesBanner />
  return (
    <Banners>
      {status === 'deactivated' && <DeactivatedNotice />}
      {status === 'suspended' && <Notice variant="warn">{t.banner.suspended}</Notice>}
      {status === 'takendown' && <Notice variant="danger">{t.banner.takendown}</Notice>}
      <DeletionNotice />
    </Banners>
  )
}

function StoppedWritesBanner() {
  const { data: move } = useMove()
  const [path] = useLocation()
  if (!move?.writesStopped || path === '/move') return null
  return (
    <Banner action={<Link href="/move">{t.move.show}</Link>} variant="warn">
      {t.move.bannerStopped(hostOf(move.server))}
    </Banner>
  )
}

function DeactivatedNotice() {
  const { data: move } = useMove()
  const isElsewhere = move && (move.endedAt === undefined || move.direction === 'out')
  return isElsewhere ? <MoveNotice move={move} /> : <ActivationNotice />
}

function MoveNotice({ move }: { readonly move: Move }) {
  const [path] = useLocation()
  const host = hostOf(move.server)
  if (path === '/move') return null
  return (
    <Notice action={<Link href="/move">{t.move.show}</Link>} variant="warn">
      {move.endedAt === undefined ? t.move.banner(host) : t.move.bannerMoved(host)}
    </Notice>
  )
}

/** Shown in every state of an account while its holder has set a date for its deletion. */
function DeletionNotice() {
  const now = useNow()
  const { data } = useXrpcQuery(com.core.server.checkAccountStatus, {})
  // A deactivation without a date cancels the deletion, also while other servers, which an activation needs, are away.
  const keep = useProcedure(com.core.server.deactivateAccount, [com.core.server.checkAccountStatus], {
    onSuccess: () => toast(t.banner.kept),
    onError: toastError,
  })
  const at = data?.deleteAfter
  if (at === undefined || at === data?.activation?.activateBy) return null
  const action = (
    <Button busy={keep.isPending} onClick={() => keep.mutate({})} size="s">
      {t.banner.keep}
    </Button>
  )
  return (
    <Notice action={action} live variant="danger">
      {t.banner.deleteOn(at, formatRelative(at, now))}
    </Notice>
  )
}

/** For an account that its holder has deactivated, or imported and not activated yet. */
function ActivationNotice() {
  const now = useNow()
  const { data } = useXrpcQuery(com.core.server.checkAccountStatus, {})
  const isNew = data?.activation !== undefined
  const fate = data && fateOf(data, now)
  const activate = useProcedure(
    com.core.server.activateAccount,
    [com.core.server.getSession, com.core.server.checkAccountStatus],
    {
      onSuccess: () => toast(isNew ? t.banner.activated : t.banner.reactivated),
      onError: toastError,
    },
  )
  const action = (
    <>
      {isNew && <Link href={entrances.recoverData}>{t.recover.continueAction}</Link>}
      <Button busy={activate.isPending} onClick={() => activate.mutate(undefined)} size="s">
        {isNew ? t.banner.activate : t.banner.reactivate}
      </Button>
    </>
  )
  return (
    <Notice action={action} variant="warn">
      {isNew ? t.banner.unactivated : t.banner.deactivated} {fate && <strong>{fate}</strong>}
    </Notice>
  )
}

/** Says when an imported account is deleted, or why it is kept. */
function fateOf(
  { activation }: Body<typeof com.core.server.checkAccountStatus.main>,
  now: number,
): string | undefined {
  const at = activation?.activateBy
  if (at) return t.banner.activateBy(at, formatRelative(at, now))
  if (activation?.kept === 'named') return t.banner.keptNamed
  return activation?.kept === 'unreadable' ? t.banner.keptUnreadable : undefined
}

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
    <Banner action={action} variant="warn">
      <strong>{t.clock.wrong(clock.now, clock.trustedAt)}</strong> {t.clock.paused}{' '}
      {clock.elsewhere && t.clock.elsewhere(clock.elsewhere)} {t.clock.fix}
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

/** The messages of which the banner was dismissed. */
const dismissed = createStore<ReadonlySet<string>>(new Set())

/** Shown while messages wait in the outbox, until it is dismissed or the outbox is opened. */
export function OutboxBanner() {
  const [path] = useLocation()
  const { data: messages = [] } = useDesktopQuery('outbox.list')
  const seen = useStore(dismissed)
  const waiting = messages.filter(({ id }) => !seen.has(id))
  if (waiting.length === 0 || path === '/outbox') return null
  const dismiss = () => dismissed.set(new Set(messages.map(({ id }) => id)))
  const action = (
    <>
      <Link href="/outbox" onClick={dismiss}>
        {t.mail.openOutbox}
      </Link>
      <Button onClick={dismiss} size="s" variant="quiet">
        {t.ui.dismiss}
      </Button>
    </>
  )
  return (
    <Banner action={action} variant="warn">
      {t.outbox.banner(waiting.length)}
    </Banner>
  )
}
