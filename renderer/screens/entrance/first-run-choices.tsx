import { useDesktopQuery } from '../../api/desktop.ts'
import { useSettingsChange } from '../../parts/settings.ts'
import { t } from '../../strings/en.ts'
import { Switch } from '../../ui/switch.tsx'
import styles from './entrance.module.css'

/** Desktop options of the first sign-up: start at login, and the data folder. */
export function FirstRunChoices() {
  const { data: view } = useDesktopQuery('settings.view')
  const change = useSettingsChange()
  if (!view) return null
  const pending = change.isPending ? change.variables.startAtLogin : undefined
  return (
    <div className={styles.choices}>
      <Switch
        checked={pending ?? view.settings.startAtLogin}
        hint={t.firstRun.startAtLoginHint}
        label={t.firstRun.startAtLogin}
        onChange={(startAtLogin) => change.mutate({ startAtLogin })}
      />
      <p>
        {t.firstRun.dataFolder} <code>{view.dataFolder}</code>
      </p>
    </div>
  )
}
