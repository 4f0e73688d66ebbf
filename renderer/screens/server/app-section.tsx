import type { SettingsView } from '../../../electron/bridge.ts'
import { SettingSwitch } from '../../parts/setting-switch.tsx'
import { useStore } from '../../store.ts'
import { t } from '../../strings/en.ts'
import { ChoiceChips } from '../../ui/choice-chips.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { setTheme, theme, themes } from '../../ui/theme.ts'

export function AppSection({ view }: { readonly view: SettingsView }) {
  const chosen = useStore(theme)
  return (
    <Section title={t.server.app}>
      <Panel>
        <SettingSwitch
          detail={t.server.startAtLoginDetail}
          label={t.server.startAtLogin}
          name="startAtLogin"
          view={view}
        />
        {view.hasTray && (
          <SettingSwitch
            detail={t.server.closeToTrayDetail}
            label={t.server.closeToTray}
            name="closeToTray"
            view={view}
          />
        )}
        <SettingSwitch
          detail={t.server.nativeNotificationsDetail}
          label={t.server.nativeNotifications}
          name="nativeNotifications"
          view={view}
        />
        <Row
          action={
            <ChoiceChips
              label={t.server.theme}
              onChange={setTheme}
              options={themes.map((value) => ({ value, label: t.nav.themes[value] }))}
              value={chosen}
            />
          }
          title={t.server.theme}
        />
      </Panel>
    </Section>
  )
}
