import { BellRing, CheckCheck } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { useNotifications, useSeenMarker, useUnreadCount } from '../../api/notifications.ts'
import { type Filter, filters } from '../../parts/notification-filters.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Choices } from '../../ui/choices.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { ActivitySection } from './activity-section.tsx'
import { DayGroups } from './day-groups.tsx'

export function NotificationsScreen() {
  const [filter, setFilter] = useState<Filter>('all')
  const list = useNotifications(filters[filter])
  const unread = useUnreadCount()
  const notifications = useMemo(
    () => list.data?.pages.flatMap((page) => page.notifications) ?? [],
    [list.data],
  )
  const marker = useSeenMarker({
    onSuccess: (before) => toast(t.notifications.markedToast, () => marker.mutate(before)),
    onError: toastError,
  })
  const newest = list.data?.pages[0]?.notifications[0]?.indexedAt
  const markAll = () => {
    // A double click must not make the second Undo return to what the first one had marked.
    if (newest && !marker.isPending) marker.mutate(newest)
  }
  return (
    <Page
      action={
        <>
          <Link href="/preferences">{t.notifications.choose}</Link>
          {unread > 0 && newest && (
            <Button icon={<CheckCheck aria-hidden size={16} />} onClick={markAll}>
              {t.notifications.markAll}
            </Button>
          )}
        </>
      }
      lead={t.notifications.lead}
      title={t.nav.inbox}
    >
      <ActivitySection />
      <Choices
        label={t.notifications.filter}
        onChange={setFilter}
        options={t.notifications.filters}
        value={filter}
      />
      {list.isPending && <Skeleton rows={5} />}
      {list.isLoadingError && <ErrorState error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && notifications.length === 0 && (
        <EmptyState
          icon={BellRing}
          text={filter === 'all' ? t.notifications.noneText : t.notifications.noneOfFilter}
          title={t.notifications.none}
        />
      )}
      {notifications.length > 0 && <DayGroups notifications={notifications} />}
      {list.hasNextPage && <LoadMore list={list} loaded={notifications.length} />}
    </Page>
  )
}
