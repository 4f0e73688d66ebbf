import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { TunnelPort, TunnelView } from '../../../electron/ground/bridge.ts'
import { callDesktop, invalidate, useDesktopCall, useDesktopQuery } from '../../api/desktop.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { Badge, Loaded, Notice } from '../../ui/states.tsx'
import { toastError } from '../../ui/toast.tsx'
import styles from './network.module.css'
import { HandleOffer, hostOf, Points, TakeBackButton } from './publication.tsx'

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
      <Notice action={<TakeBackButton publication={{ ...view, by: 'tunnel' }} />} variant="warn">
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
          action={<TakeBackButton publication={{ ...view, by: 'tunnel' }} />}
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
            {t.ui.cancel}
          </Button>
        )}
        {state === 'occupied' && !isPublic && otherPorts.map((port) => <OpenButton key={port} port={port} />)}
        {canRetry && <OpenButton port={isPublic ? portOf(url) : '443'} />}
        {!isWaiting && (
          <Button busy={query.isFetching} onClick={() => void query.refetch()} size="s">
            {t.seen.lookAgain}
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

function portOf(url = ''): TunnelPort {
  return otherPorts.find((port) => url.endsWith(`:${port}`)) ?? '443'
}
