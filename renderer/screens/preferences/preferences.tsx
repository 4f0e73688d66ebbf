import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { app, com } from '../../../lexicons/generated/index.ts'
import { explain } from '../../api/call-errors.ts'
import { type Body, callAs } from '../../api/client.ts'
import { keyOf, useXrpcQuery } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Page, Section } from '../../ui/page.tsx'
import { Loaded, Notice } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './preferences.module.css'

const groups: readonly { readonly title: string; readonly reasons: readonly ReasonName[] }[] = [
  { title: t.preferences.conversation, reasons: ['reply', 'mention', 'quote', 'chat'] },
  { title: t.preferences.reactions, reasons: ['like', 'repost', 'likeViaRepost', 'repostViaRepost'] },
  { title: t.preferences.people, reasons: ['follow', 'starterpackJoined', 'verified', 'unverified'] },
  { title: t.preferences.subscriptions, reasons: ['subscribedPost'] },
]

export function PreferencesScreen() {
  const query = useXrpcQuery(app.example.notification.getPreferences, {})
  const change = usePreferenceChange()
  const { data: status } = useXrpcQuery(com.core.server.checkAccountStatus, {})
  return (
    <Page lead={t.preferences.lead} title={t.nav.notifications}>
      {status?.pushDevices === 0 && <Notice>{t.preferences.noDevice}</Notice>}
      <Loaded query={query} rows={6}>
        {({ preferences }) =>
          groups.map(({ title, reasons }) => (
            <Section key={title} title={title}>
              <ul className={styles.list}>
                {reasons.map((reason) => (
                  <PreferenceRow
                    key={reason}
                    onChange={(changed) => change(reason, changed)}
                    reason={reason}
                    value={preferences[reason]}
                  />
                ))}
              </ul>
            </Section>
          ))
        }
      </Loaded>
    </Page>
  )
}

interface PreferenceRowProps {
  readonly reason: ReasonName
  readonly value: Preference
  onChange(changed: Partial<Preference>): void
}

/** The preference of one reason: senders, inbox and push. */
function PreferenceRow({ reason, value, onChange }: PreferenceRowProps) {
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

const { getPreferences, putPreferencesV2 } = app.example.notification

type Response = Body<typeof getPreferences.main>
export type Preferences = Response['preferences']
type ReasonName = Exclude<keyof Preferences, '$type'>

interface Preference {
  readonly list: boolean
  readonly push: boolean
  /** Absent for reasons without a filter by author. */
  readonly include?: 'all' | 'follows'
}

/**
 * Changes a preference optimistically. A request carries the changed reason only: the others may have been changed by another
 * client since they were read. Requests run one at a time, in order. A failed change is rolled back with a toast.
 */
function usePreferenceChange(): (reason: ReasonName, changed: Partial<Preference>) => void {
  const { did } = useSession()
  const client = useQueryClient()
  const key = keyOf(did, getPreferences, {})
  const save = useMutation({
    scope: { id: `preferences ${did}` },
    mutationFn: (changed: Partial<Preferences>) => callAs(did, putPreferencesV2, { body: changed }),
    onError: async (error) => {
      toast(t.preferences.failed(explain(error)))
      await client.invalidateQueries({ queryKey: key })
    },
  })
  return (reason, changed) => {
    const cached = client.getQueryData<Response>(key)
    if (!cached) return
    const preference = { [reason]: { ...cached.preferences[reason], ...changed } }
    client.setQueryData<Response>(key, { preferences: { ...cached.preferences, ...preference } })
    save.mutate(preference)
  }
}
