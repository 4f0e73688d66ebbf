import { Radio } from 'lucide-react'
import { app } from '../../../lexicons/generated/index.ts'
import { usePages } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Page, RowList } from '../../ui/page.tsx'
import { EmptyState, Paged } from '../../ui/states.tsx'
import { SubscribeForm } from './subscribe-form.tsx'
import { SubscriptionRow } from './subscription-row.tsx'

const { listActivitySubscriptions } = app.example.notification

export function SubscriptionsScreen() {
  const list = usePages(listActivitySubscriptions, { limit: 50 }, (page) => page.subscriptions)
  return (
    <Page lead={t.subscriptions.lead} title={t.subscriptions.title}>
      <SubscribeForm />
      <Paged
        empty={<EmptyState icon={Radio} text={t.subscriptions.noneText} title={t.subscriptions.none} />}
        list={list}
      >
        {(subscriptions) => (
          <RowList label={t.subscriptions.list}>
            {subscriptions.map((subscription) => (
              <SubscriptionRow key={subscription.did} subscription={subscription} />
            ))}
          </RowList>
        )}
      </Paged>
    </Page>
  )
}
