import { Download } from 'lucide-react'
import type { SettingsView, UpdateState } from '../../../electron/ground/bridge.ts'
import { explain } from '../../api/call-errors.ts'
import { callDesktop, useDesktopCall, useDesktopQuery } from '../../api/desktop.ts'
import { desktop } from '../../bridge.ts'
import { SettingSwitch } from '../../parts/settings/setting-switch.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Page, Panel, Row, Section } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'

export function AboutScreen() {
  const { data: view } = useDesktopQuery('settings.view')
  if (!desktop) return null
  const { app, electron, chrome, node } = desktop.version
  const parts = [
    [t.about.electron, electron],
    [t.about.chrome, chrome],
    [t.about.node, node],
  ].map((part) => part.join(' '))
  return (
    <Page lead={t.about.lead} title={t.nav.about}>
      <Panel>
        <Row detail={`${t.about.version} ${app}`} icon={<Mark size={40} />} title={t.app.name} />
        <Row detail={parts.join(' · ')} title={t.about.parts} />
        <OpenRow
          detail={view?.dataFolder ?? '…'}
          label={t.about.openData}
          onOpen={() => callDesktop('app.openFolder', 'data')}
          title={t.ui.dataFolder}
        />
        {desktop.hasSource && (
          <OpenRow
            detail={t.about.sourceDetail}
            label={t.about.openSource}
            onOpen={() => callDesktop('app.openPage', 'source')}
            title={t.about.source}
          />
        )}
        <OpenRow
          detail={t.about.licenceDetail}
          label={t.about.openNotices}
          onOpen={() => callDesktop('app.openPage', 'notices')}
          title={t.about.licence}
        />
      </Panel>
      <Section title={t.about.updates}>
        <Updates view={view} />
      </Section>
    </Page>
  )
}

interface OpenRowProps {
  readonly title: string
  readonly detail: string
  /** The accessible name of the button. */
  readonly label: string
  onOpen(): Promise<unknown>
}

/** Something that opens outside of the window. */
function OpenRow({ title, detail, label, onOpen }: OpenRowProps) {
  const action = (
    <Button aria-label={label} onClick={() => void onOpen()} size="s">
      {t.about.open}
    </Button>
  )
  return <Row action={action} detail={detail} title={title} />
}

/** Update check, on request or daily. */
function Updates({ view }: { readonly view: SettingsView | undefined }) {
  const check = useDesktopCall('updates.check')
  const state = check.data
  return (
    <Panel>
      <Row
        action={
          <>
            {state?.kind === 'available' && (
              <Button
                icon={<Download aria-hidden size={16} />}
                variant="primary"
                onClick={() => void callDesktop('app.openPage', 'update')}
              >
                {t.about.openUpdate}
              </Button>
            )}
            <Button busy={check.isPending} onClick={() => check.mutate([])}>
              {t.about.check}
            </Button>
          </>
        }
        detail={<UpdateDetail error={check.error} state={state} />}
        title={<span role="status">{titleOf(check.isPending, check.isError, state)}</span>}
      />
      {view && <SettingSwitch name="checkForUpdates" view={view} />}
    </Panel>
  )
}

function titleOf(isPending: boolean, isError: boolean, state: UpdateState | undefined): string {
  if (isPending) return t.about.checking
  if (isError || state?.kind === 'unknown') return t.about.unknown
  if (!state) return t.about.notChecked
  return state.kind === 'current' ? t.about.current : t.about.available(state.version)
}

function UpdateDetail({
  state,
  error,
}: {
  readonly state: UpdateState | undefined
  readonly error: unknown
}) {
  if (error) return explain(error)
  if (!state) return null
  if (state.kind === 'unknown') return state.message
  return (
    <>
      {state.kind === 'available' && `${t.about.availableDetail} `}
      {t.ui.checked} <RelativeTime at={state.checkedAt} />
    </>
  )
}
