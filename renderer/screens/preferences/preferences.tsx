import { app } from '../../../lexicons/generated/index.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Page, Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { PreferenceRow } from './preference-row.tsx'
import styles from './preferences.module.css'
import { type ReasonName, usePreferenceChange } from './use-preference-change.ts'

const groups: readonly { readonly title: string; readonly reasons: readonly ReasonName[] }[] = [
  { title: t.preferences.conversation, reasons: ['reply', 'mention', 'quote', 'chat'] },
  { title: t.preferences.reactions, reasons: ['like', 'repost', 'likeViaRepost', 'repostViaRepost'] },
  { title: t.preferences.people, reasons: ['follow', 'starterpackJoined', 'verified', 'unverified'] },
  { title: t.preferences.subscriptions, reasons: ['subscribedPost'] },
]

export function PreferencesScreen() {
  const query = useXrpcQuery(app.example.notification.getPreferences, {})
  const change = usePreferenceChange()
  return (
    <Page lead={t.preferences.lead} title={t.preferences.title}>
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
