import { useInfiniteQuery } from '@tanstack/react-query'
import { UsersRound } from 'lucide-react'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { callAs } from '../../api/client.ts'
import { errorName } from '../../api/errors.ts'
import { keyOf } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Field } from '../../ui/field.tsx'
import { Page, Row, RowList } from '../../ui/page.tsx'
import { Badge, EmptyState, ErrorState, More, Skeleton } from '../../ui/states.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { AccountBadge } from '../account-badge.tsx'
import { AccountActions } from './account-actions.tsx'
import type { ListedAccount } from './listed-account.ts'

const pageSize = 50
/** The number of accounts from which the search field is shown. */
const searchFrom = 8

export function AccountsScreen() {
  const list = useAccounts()
  const [search, setSearch] = useState('')
  const accounts = list.data?.pages.flatMap((page) => page.accounts) ?? []
  const matching = accounts.filter((account) => matches(account, search.trim().toLowerCase()))
  return (
    <Page lead={t.accounts.lead} title={t.accounts.title}>
      {list.isPending && <Skeleton />}
      {list.isLoadingError && (
        <ErrorState
          error={errorName(list.error) === 'Forbidden' ? t.accounts.notOwner : list.error}
          onRetry={() => void list.refetch()}
        />
      )}
      {accounts.length >= searchFrom && (
        <Field
          autoComplete="off"
          label={t.accounts.filter}
          onChange={(event) => setSearch(event.target.value)}
          placeholder={t.accounts.filterPlaceholder}
          required
          type="search"
          value={search}
        />
      )}
      {matching.length > 0 && (
        <RowList label={t.accounts.list}>
          {matching.map((account) => (
            <AccountRow account={account} key={account.did} />
          ))}
        </RowList>
      )}
      {list.data && matching.length === 0 && (
        <EmptyState icon={<UsersRound aria-hidden size={28} />} title={t.accounts.noMatch}>
          {list.hasNextPage ? t.accounts.noMatchSoFar : t.accounts.noMatchText}
        </EmptyState>
      )}
      <More list={list} />
    </Page>
  )
}

function useAccounts() {
  const { did } = useSession()
  return useInfiniteQuery({
    queryKey: keyOf(did, com.core.admin.listAccounts),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      callAs(did, com.core.admin.listAccounts, { params: { limit: pageSize, cursor }, signal }),
    getNextPageParam: ({ cursor }) => cursor,
  })
}

function matches({ handle, email = '', did }: ListedAccount, search: string): boolean {
  return [handle, email, did].some((text) => text.includes(search))
}

function AccountRow({ account }: { readonly account: ListedAccount }) {
  const { handle, email, createdAt, owner, status, invitedBy } = account
  return (
    <Row
      action={!owner && <AccountActions account={account} />}
      as="li"
      detail={
        <>
          {email ?? t.accounts.noEmail} · {t.accounts.joined} <RelativeTime at={createdAt} />
          {invitedBy && <> · {t.accounts.invitedBy(invitedBy === 'admin' ? t.accounts.admin : invitedBy)}</>}
        </>
      }
      icon={<Avatar handle={handle} />}
      title={
        <>
          {handle} {owner && <Badge>{t.status.owner}</Badge>} {status && <AccountBadge status={status} />}
        </>
      }
    />
  )
}
