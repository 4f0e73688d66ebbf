import type { Settings, SettingsView } from '../../electron/bridge.ts'
import { Row } from '../ui/page.tsx'
import { Switch } from '../ui/switch.tsx'
import { useSetting } from './settings.ts'

type Flag = { [Name in keyof Settings]: Settings[Name] extends boolean ? Name : never }[keyof Settings]

interface SettingSwitchProps {
  readonly view: SettingsView
  readonly name: Flag
  readonly label: string
  readonly detail: string
}

/** A boolean setting. */
export function SettingSwitch({ view, name, label, detail }: SettingSwitchProps) {
  const [isOn, change] = useSetting(view, name)
  return (
    <Row
      action={<Switch checked={isOn} label={label} labelHidden onChange={change} />}
      detail={detail}
      title={label}
    />
  )
}
