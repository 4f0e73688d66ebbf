import { useInfiniteQuery } from '@tanstack/react-query'
import { Radio } from 'lucide-react'
import { app } from '../../../lexicons/generated/index.ts'
import { callAs } from '../../api/client.ts'
import { keyOf } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Page, RowList } from '../../ui/page.tsx'
import { EmptyState, ErrorState, More, Skeleton } from '../../ui/states.tsx'
import { SubscribeForm } from './subscribe-form.tsx'
import { SubscriptionRow } from './subscription-row.tsx'

const { listActivitySubscriptions } = app.example.notification

export function SubscriptionsScreen() {
  const { did } = useSession()
  const list = useInfiniteQuery({
    queryKey: keyOf(did, listActivitySubscriptions),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      callAs(did, listActivitySubscriptions, { params: { limit: 50, cursor }, signal }),
    getNextPageParam: ({ cursor }) => cursor,
  })
  const subscriptions = list.data?.pages.flatMap((page) => page.subscriptions) ?? []
  return (
    <Page lead={t.subscriptions.lead} title={t.subscriptions.title}>
      <SubscribeForm />
      {list.isPending && <Skeleton />}
      {list.isLoadingError && <ErrorState error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && subscriptions.length === 0 && (
        <EmptyState icon={<Radio aria-hidden size={28} />} title={t.subscriptions.none}>
          {t.subscriptions.noneText}
        </EmptyState>
      )}
      {subscriptions.length > 0 && (
        <RowList label={t.subscriptions.list}>
          {subscriptions.map((subscription) => (
            <SubscriptionRow key={subscription.did} subscription={subscription} />
          ))}
        </RowList>
      )}
      <More list={list} />
    </Page>
  )
}
