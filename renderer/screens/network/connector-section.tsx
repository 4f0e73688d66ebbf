import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ConnectorInput, ConnectorView } from '../../../electron/ground/bridge.ts'
import { invalidate, useDesktopCall, useDesktopQuery } from '../../api/desktop.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { Field, PasswordField } from '../../ui/field.tsx'
import { FoldedSection, Panel, Row, Section } from '../../ui/page.tsx'
import { PanelForm } from '../../ui/panel-form.tsx'
import { Badge, Loaded, Notice } from '../../ui/states.tsx'
import styles from './network.module.css'
import { HandleOffer, hostOf, Points, TakeBackButton } from './publication.tsx'

/** Its state changes without a click: Cloudflare reports what was set there. */
const lookAgainMs = 2000

/** A public address of an own domain, through a tunnel of Cloudflare. */
export function ConnectorSection() {
  const client = useQueryClient()
  const query = useDesktopQuery('connector.view')
  const { data, refetch } = query
  const isStarted = data?.url !== undefined
  const isPublic = data?.isPublic === true
  useEffect(() => {
    if (!isStarted) return
    const timer = setInterval(() => void refetch(), lookAgainMs)
    return () => clearInterval(timer)
  }, [isStarted, refetch])
  // biome-ignore lint/correctness/useExhaustiveDependencies: run for each change
  useEffect(() => {
    void invalidate(client, 'settings.view')
  }, [client, isPublic])
  const Shown = isStarted ? Section : FoldedSection
  return (
    <Shown lead={t.connector.lead} title={t.connector.title}>
      <Loaded query={query} rows={2}>
        {(view) => (view.url === undefined ? <Closed view={view} /> : <Started url={view.url} view={view} />)}
      </Loaded>
    </Shown>
  )
}

function Closed({ view }: { readonly view: ConnectorView }) {
  if (view.state === 'absent') return <Problem view={view} />
  return (
    <>
      {view.state !== 'ready' && <Problem view={view} />}
      <OpenForm target={view.target} />
    </>
  )
}

function OpenForm({ target }: { readonly target: string }) {
  const [input, setInput] = useState<ConnectorInput>({ host: '', token: '' })
  const open = useDesktopCall('connector.open', ['connector.view', 'settings.view'])
  const field = (name: keyof ConnectorInput) => ({
    error: open.data?.[name],
    exact: true,
    onChange: (event: { readonly target: { readonly value: string } }) =>
      setInput({ ...input, [name]: event.target.value }),
    required: true,
    value: input[name],
  })
  return (
    <PanelForm
      action={t.tunnel.open}
      busy={open.isPending}
      error={open.error}
      noValidate
      onSubmit={() => open.mutate([input])}
    >
      <Points texts={t.connector.steps} />
      <CopyField label={t.connector.copyTarget} name={t.connector.target} text={target} />
      <Field {...field('host')} label={t.connector.host} mono placeholder={t.connector.hostExample} />
      <PasswordField
        {...field('token')}
        autoComplete="off"
        hint={t.connector.tokenHint}
        label={t.connector.token}
      />
      <Points texts={t.tunnel.readyText} />
    </PanelForm>
  )
}

/** The program runs, or is started again. */
function Started({ view, url }: { readonly view: ConnectorView; readonly url: string }) {
  const { state, isPublic, target } = view
  const isOpen = state === 'open'
  const close = useDesktopCall('connector.close', ['connector.view', 'settings.view'])
  const host = hostOf(url)
  return (
    <>
      {!isOpen && <Problem view={view} />}
      <Panel>
        <Row
          action={
            isPublic ? (
              <TakeBackButton publication={{ ...view, by: 'connector' }} />
            ) : (
              <Button busy={close.isPending} onClick={() => close.mutate([])}>
                {t.ui.cancel}
              </Button>
            )
          }
          detail={isOpen ? t.connector.openedText : undefined}
          title={
            <>
              {isPublic ? t.tunnel.opened(host) : host}{' '}
              {isPublic && (
                <Badge variant={isOpen ? 'good' : 'danger'}>
                  {isOpen ? t.tunnel.badge.open : t.tunnel.badge.problem}
                </Badge>
              )}
            </>
          }
        />
        {(state === 'noRoute' || state === 'elsewhere') && (
          <CopyField label={t.connector.copyTarget} name={t.connector.target} text={target} />
        )}
        {isPublic && <CopyField label={t.tunnel.copyAddress} name={t.network.address} text={url} />}
        {isPublic && isOpen && <HandleOffer host={host} />}
      </Panel>
    </>
  )
}

function Problem({ view: { state, detail } }: { readonly view: ConnectorView }) {
  const query = useDesktopQuery('connector.view')
  if (state === 'ready' || state === 'open') return null
  const isWaiting = state === 'connecting'
  return (
    <Notice live variant={isWaiting ? 'info' : 'warn'}>
      <p>{t.connector.problems[state]}</p>
      {detail !== undefined && (
        <details className={styles.how}>
          <summary>{state === 'elsewhere' ? t.connector.leadsTo : t.connector.details}</summary>
          <pre className={styles.said}>{detail}</pre>
        </details>
      )}
      {!isWaiting && (
        <div className={styles.buttons}>
          <Button busy={query.isFetching} onClick={() => void query.refetch()} size="s">
            {t.seen.lookAgain}
          </Button>
        </div>
      )}
    </Notice>
  )
}
