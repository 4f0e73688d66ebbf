import type { SettingsView } from '../../../electron/ground/bridge.ts'
import { t } from '../../strings/en.ts'
import { Row } from '../../ui/page.tsx'
import { Switch } from '../../ui/switch.tsx'
import { useSetting } from './settings.ts'

interface SettingSwitchProps {
  readonly view: SettingsView
  readonly name: keyof typeof t.settings.switches
}

/** A boolean setting. */
export function SettingSwitch({ view, name }: SettingSwitchProps) {
  const label = t.settings.switches[name]
  const [isOn, change] = useSetting(view, name)
  return (
    <Row
      action={<Switch checked={isOn} label={label} labelHidden onChange={change} />}
      detail={t.settings.switchDetails[name]}
      title={label}
    />
  )
}
