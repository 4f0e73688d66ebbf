import type { Settings, SettingsView } from '../../electron/bridge.ts'
import { useDesktopCall } from '../api/desktop.ts'
import { explain } from '../api/errors.ts'
import { t } from '../strings/en.ts'
import { Row } from '../ui/page.tsx'
import { Switch } from '../ui/switch.tsx'
import { toast } from '../ui/toast.tsx'

/** Saves a settings change immediately. Shows a toast if it fails. */
export function useSettingsChange(onChanged?: () => void) {
  return useDesktopCall('settings.change', ['settings.view'], {
    onSuccess: (problems) => {
      const [problem] = Object.values(problems)
      if (problem) toast(`${t.server.notSaved} ${problem}`)
      else onChanged?.()
    },
    onError: (error) => toast(explain(error)),
  })
}

type Flag = { [Name in keyof Settings]: Settings[Name] extends boolean ? Name : never }[keyof Settings]

interface SettingSwitchProps {
  readonly view: SettingsView
  readonly name: Flag
  readonly label: string
  readonly detail: string
}

/** A boolean setting. */
export function SettingSwitch({ view, name, label, detail }: SettingSwitchProps) {
  const change = useSettingsChange()
  const pending = change.isPending ? change.variables[0][name] : undefined
  return (
    <Row
      action={
        <Switch
          checked={pending ?? view.settings[name]}
          label={label}
          labelHidden
          onChange={(on) => change.mutate([{ [name]: on }])}
        />
      }
      detail={detail}
      title={label}
    />
  )
}
