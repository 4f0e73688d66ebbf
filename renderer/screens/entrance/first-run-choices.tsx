import { useAsk } from '../../api/desktop.ts'
import { t } from '../../strings/en.ts'
import { Switch } from '../../ui/switch.tsx'
import { useSettingsChange } from '../server/setting-switch.tsx'
import styles from './entrance.module.css'

/** What the desktop adds to making the first account: where data lives, and whether the server starts by itself. */
export function FirstRunChoices() {
  const { data: view } = useAsk('settings.view')
  const change = useSettingsChange()
  if (!view) return null
  const wanted = change.isPending ? change.variables[0].startAtLogin : undefined
  return (
    <div className={styles.choices}>
      <Switch
        checked={wanted ?? view.settings.startAtLogin}
        hint={t.firstRun.startAtLoginHint}
        label={t.firstRun.startAtLogin}
        onChange={(startAtLogin) => change.mutate([{ startAtLogin }])}
      />
      <p>
        {t.firstRun.dataFolder} <code>{view.dataFolder}</code>
      </p>
    </div>
  )
}
