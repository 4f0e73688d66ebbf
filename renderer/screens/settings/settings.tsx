import type { SettingsView } from '../../../electron/ground/bridge.ts'
import { useDesktopQuery } from '../../api/desktop.ts'
import { desktop } from '../../bridge.ts'
import { SettingSwitch } from '../../parts/settings/setting-switch.tsx'
import { useStore } from '../../store.ts'
import { t } from '../../strings/en.ts'
import { Choices } from '../../ui/choices.tsx'
import { Page, Panel, Row, Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { setTheme, theme } from '../../ui/theme.ts'

/** The appearance and, in the desktop, how the app behaves. */
export function SettingsScreen() {
  const chosen = useStore(theme)
  return (
    <Page lead={t.settings.lead} title={t.nav.settings}>
      <Panel>
        <Row
          action={
            <Choices
              label={t.settings.theme}
              onChange={setTheme}
              options={t.settings.themes}
              value={chosen}
            />
          }
          title={t.settings.theme}
        />
      </Panel>
      {desktop && <DesktopSettings />}
    </Page>
  )
}

function DesktopSettings() {
  return <Loaded query={useDesktopQuery('settings.view')}>{(view) => <AppSection view={view} />}</Loaded>
}

function AppSection({ view }: { readonly view: SettingsView }) {
  return (
    <Section title={t.settings.app}>
      <Panel>
        <SettingSwitch name="startAtLogin" view={view} />
        {view.hasTray && <SettingSwitch name="closeToTray" view={view} />}
        <SettingSwitch name="nativeNotifications" view={view} />
      </Panel>
    </Section>
  )
}
