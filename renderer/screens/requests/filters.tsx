import { t } from '../../strings/en.ts'
import { Choices } from '../../ui/choices.tsx'
import { Field, SelectField } from '../../ui/field.tsx'
import { choicesOf, type Filter } from './filter.ts'
import type { InspectedRequest } from './inspected-request.ts'
import styles from './requests.module.css'

interface FiltersProps {
  readonly filter: Filter
  readonly requests: readonly InspectedRequest[]
  onChange(filter: Filter): void
}

export function Filters({ filter, requests, onChange }: FiltersProps) {
  const { accounts, apps } = choicesOf(requests)
  const set = (change: Partial<Filter>) => onChange({ ...filter, ...change })
  return (
    <search aria-label={t.requests.filters} className={styles.filters}>
      <Field
        exact
        label={t.requests.method}
        onChange={(event) => set({ method: event.target.value })}
        placeholder={t.requests.methodPlaceholder}
        required
        type="search"
        value={filter.method}
      />
      <SelectField
        label={t.requests.account}
        onChange={(account) => set({ account })}
        options={withChosen(accounts, filter.account)}
        value={filter.account}
      />
      <SelectField
        label={t.requests.app}
        onChange={(app) => set({ app })}
        options={withChosen(apps, filter.app)}
        value={filter.app}
      />
      <Choices
        label={t.requests.statuses}
        onChange={(status) => set({ status })}
        options={t.requests.status}
        value={filter.status}
      />
    </search>
  )
}

/** Keeps the chosen value, of which no request may be left. */
function withChosen(options: Readonly<Record<string, string>>, chosen: string): Record<string, string> {
  return { ...options, [chosen]: options[chosen] ?? chosen }
}
