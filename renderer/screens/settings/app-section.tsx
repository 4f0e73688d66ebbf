import type { SettingsView } from '../../../electron/bridge.ts'
import { SettingSwitch } from '../../parts/setting-switch.tsx'
import { t } from '../../strings/en.ts'
import { Panel, Section } from '../../ui/page.tsx'

export function AppSection({ view }: { readonly view: SettingsView }) {
  return (
    <Section title={t.settings.app}>
      <Panel>
        <SettingSwitch
          detail={t.settings.startAtLoginDetail}
          label={t.settings.startAtLogin}
          name="startAtLogin"
          view={view}
        />
        {view.hasTray && (
          <SettingSwitch
            detail={t.settings.closeToTrayDetail}
            label={t.settings.closeToTray}
            name="closeToTray"
            view={view}
          />
        )}
        <SettingSwitch
          detail={t.settings.nativeNotificationsDetail}
          label={t.settings.nativeNotifications}
          name="nativeNotifications"
          view={view}
        />
      </Panel>
    </Section>
  )
}
