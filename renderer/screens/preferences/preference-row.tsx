import { useId } from 'react'
import { t } from '../../strings/en.ts'
import { Switch } from '../../ui/switch.tsx'
import styles from './preferences.module.css'
import type { Preference, ReasonName } from './use-preference-change.ts'

interface PreferenceRowProps {
  readonly reason: ReasonName
  readonly value: Preference
  onChange(changed: Partial<Preference>): void
}

/** The preference of one reason: senders, inbox and push. */
export function PreferenceRow({ reason, value, onChange }: PreferenceRowProps) {
  const id = useId()
  return (
    <li className={styles.row}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in columns everywhere */}
      <div aria-labelledby={id} className={styles.group} role="group">
        <h3 className={styles.name} id={id}>
          {t.preferences.reasons[reason]}
        </h3>
        <div className={styles.controls}>
          {value.include !== undefined && (
            <select
              aria-label={t.preferences.include}
              className={styles.include}
              onChange={(event) => onChange({ include: event.target.value as 'all' | 'follows' })}
              value={value.include}
            >
              <option value="all">{t.preferences.all}</option>
              <option value="follows">{t.preferences.follows}</option>
            </select>
          )}
          <Switch checked={value.list} label={t.preferences.list} onChange={(list) => onChange({ list })} />
          <Switch checked={value.push} label={t.preferences.push} onChange={(push) => onChange({ push })} />
        </div>
      </div>
    </li>
  )
}
