import type { HandleString } from '@atproto/syntax'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { AtSign } from 'lucide-react'
import { useEffect } from 'react'
import type { TunnelPort, TunnelView } from '../../../electron/bridge.ts'
import { com } from '../../../lexicons/generated/index.ts'
import { useIsOwner } from '../../api/account.ts'
import { callAs } from '../../api/client.ts'
import { callDesktop, invalidate, useDesktopCall, useDesktopQuery } from '../../api/desktop.ts'
import { errorName } from '../../api/errors.ts'
import { useProcedure } from '../../api/hooks.ts'
import { findSession, useMaybeSession, useSession } from '../../api/sessions.ts'
import { useDialogWork } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { Badge, Loaded, Notice } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import styles from './network.module.css'
import { Points } from './points.tsx'

/** Besides 443. */
const otherPorts = ['8443', '10000'] as const satisfies readonly TunnelPort[]
/** While the person consents in the browser. */
const lookAgainMs = 1500

/** A public address through Tailscale: one click there, and one back. */
export function TunnelSection() {
  const query = useDesktopQuery('tunnel.view')
  const { data, refetch } = query
  const isWaiting = data?.state === 'consent'
  useEffect(() => {
    if (!isWaiting) return
    const timer = setInterval(() => void refetch(), lookAgainMs)
    return () => clearInterval(timer)
  }, [isWaiting, refetch])
  return (
    <Section lead={t.tunnel.lead} title={t.tunnel.title}>
      <Loaded query={query} rows={2}>
        {(view) => (view.isPublic ? <Opened view={view} /> : <Closed view={view} />)}
      </Loaded>
    </Section>
  )
}

/** Not public: the button, or what stands between. */
function Closed({ view }: { readonly view: TunnelView }) {
  const { state, url = '' } = view
  // An earlier run has left it.
  if (state === 'open' || state === 'closed') {
    return (
      <Notice action={<TakeBackButton view={view} />} variant="warn">
        {state === 'open' ? t.tunnel.isLeft : t.tunnel.unfinished}
      </Notice>
    )
  }
  if (state !== 'ready') return <Problem view={view} />
  return (
    <Panel padded>
      <div className={styles.points}>
        <p>
          <strong>{t.tunnel.ready(hostOf(url))}</strong>
        </p>
        <Points texts={t.tunnel.readyText} />
        <div>
          <OpenButton port="443" />
        </div>
      </div>
    </Panel>
  )
}

function Opened({ view }: { readonly view: TunnelView }) {
  const { state, url = '' } = view
  const isOpen = state === 'open'
  return (
    <>
      {!isOpen && <Problem view={view} />}
      <Panel>
        <Row
          action={<TakeBackButton view={view} />}
          detail={isOpen ? t.tunnel.openedText : undefined}
          title={
            <>
              {t.tunnel.opened(hostOf(url))}{' '}
              <Badge variant={isOpen ? 'good' : 'danger'}>
                {isOpen ? t.tunnel.badge.open : t.tunnel.badge.problem}
              </Badge>
            </>
          }
        />
        <CopyField label={t.tunnel.copyAddress} name={t.network.address} text={url} />
        {isOpen && <HandleOffer host={hostOf(url)} />}
      </Panel>
    </>
  )
}

function Problem({ view: { state, page, detail, isPublic, url } }: { readonly view: TunnelView }) {
  const query = useDesktopQuery('tunnel.view')
  const close = useDesktopCall('tunnel.close', ['tunnel.view', 'settings.view'])
  if (state === 'ready' || state === 'open') return null
  const isWaiting = state === 'consent'
  const canRetry = ['refused', 'httpsOff', 'notAllowed', 'notPermitted', 'closed', 'unclear'].includes(state)
  return (
    <Notice live variant={isWaiting ? 'info' : 'warn'}>
      <p>{t.tunnel.problems[state]}</p>
      {detail !== undefined && (
        <details className={styles.how}>
          <summary>{t.tunnel.details}</summary>
          <pre className={styles.said}>{detail}</pre>
        </details>
      )}
      {state === 'occupied' && <p>{t.tunnel.portNote}</p>}
      <div className={styles.buttons}>
        {page !== undefined && (
          <Button onClick={() => void callDesktop('tunnel.openPage')} size="s">
            {t.tunnel.openPage}
          </Button>
        )}
        {isWaiting && (
          <Button busy={close.isPending} onClick={() => close.mutate([])} size="s">
            {t.tunnel.cancel}
          </Button>
        )}
        {state === 'occupied' && !isPublic && otherPorts.map((port) => <OpenButton key={port} port={port} />)}
        {canRetry && <OpenButton port={isPublic ? portOf(url) : '443'} />}
        {!isWaiting && (
          <Button busy={query.isFetching} onClick={() => void query.refetch()} size="s">
            {t.tunnel.lookAgain}
          </Button>
        )}
      </div>
    </Notice>
  )
}

function OpenButton({ port }: { readonly port: TunnelPort }) {
  const client = useQueryClient()
  const open = useDesktopCall('tunnel.open', ['tunnel.view', 'settings.view'], { onError: toastError })
  return (
    <Button
      busy={open.isPending}
      onClick={() => {
        open.mutate([port])
        // Shows the wait for consent.
        void invalidate(client, 'tunnel.view')
      }}
      size={port === '443' ? 'm' : 's'}
      variant="primary"
    >
      {port === '443' ? t.tunnel.open : t.tunnel.openAt(port)}
    </Button>
  )
}

/** The name of this computer as the handle of the owner. */
function HandleOffer({ host }: { readonly host: string }) {
  return useMaybeSession() && !host.includes(':') ? <OfSession host={host} /> : null
}

function OfSession({ host }: { readonly host: string }) {
  const client = useQueryClient()
  const isOwner = useIsOwner()
  const { handle } = useSession()
  const change = useProcedure(com.core.identity.updateHandle, [com.core.server.getSession.main], {
    onSuccess: () => toast(t.tunnel.handleDone(host)),
    onError: toastError,
  })
  if (!isOwner || handle === host) return null
  const use = async () => {
    await callDesktop('tunnel.keepHandle', handle)
    await invalidate(client, 'tunnel.view')
    change.mutate({ handle: host as HandleString })
  }
  return (
    <Row
      action={
        <Button busy={change.isPending} onClick={() => void use().catch(toastError)}>
          {t.tunnel.handleSubmit}
        </Button>
      }
      detail={t.tunnel.handleDetail}
      icon={<AtSign aria-hidden size={20} strokeWidth={1.75} />}
      title={t.tunnel.handleTitle(host)}
    />
  )
}

function TakeBackButton({ view }: { readonly view: TunnelView }) {
  return (
    <DialogButton dialog={(close) => <TakeBackDialog onClose={close} view={view} />}>
      {t.tunnel.takeBack}
    </DialogButton>
  )
}

function TakeBackDialog({ view, onClose }: { readonly view: TunnelView; onClose(): void }) {
  const takeBack = useTakeBack(view)
  const work = useDialogWork({
    run: () => takeBack.mutateAsync(),
    done: t.tunnel.takenBack,
    onClose,
  })
  return (
    <ConfirmDialog {...work} action={t.tunnel.takeBack} title={t.tunnel.takeBackTitle}>
      <Points texts={[t.tunnel.takeBackText, ...handleText(view), ...t.network.privateText]} />
    </ConfirmDialog>
  )
}

/** Takes everything back that going public has changed: the handle first, which needs the public server. */
export function useTakeBack(view: TunnelView | undefined) {
  const client = useQueryClient()
  const did = useMaybeSession()?.did
  return useMutation({
    async mutationFn() {
      const before = view && handleBefore(view, did)
      if (did !== undefined && before !== undefined) {
        const input = { handle: before as HandleString }
        await callAs(did, com.core.identity.updateHandle, { body: input }).catch((error: unknown) => {
          // A computer without a connection must become private, too. The handle is changed on Account later.
          if (errorName(error) !== 'UpstreamFailure') throw error
          toastError(error)
        })
      }
      await callDesktop('tunnel.close')
    },
    onSettled: async () => {
      await Promise.all([
        invalidate(client, 'tunnel.view'),
        invalidate(client, 'settings.view'),
        client.invalidateQueries(),
      ])
    },
  })
}

/** The former handle of the account, if the name of this computer is its handle now. */
function handleBefore({ url = '', handle }: TunnelView, did: string | undefined): string | undefined {
  const session = did === undefined ? undefined : findSession(did)
  return session?.handle === hostOf(url) ? handle : undefined
}

function handleText(view: TunnelView): string[] {
  return view.handle === undefined ? [] : [t.tunnel.takeBackHandle(view.handle)]
}

function portOf(url = ''): TunnelPort {
  return otherPorts.find((port) => url.endsWith(`:${port}`)) ?? '443'
}

function hostOf(url: string): string {
  return url.replace('https://', '')
}
