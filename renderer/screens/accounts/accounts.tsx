import { UsersRound } from 'lucide-react'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { errorName } from '../../api/call-errors.ts'
import { usePages } from '../../api/hooks.ts'
import { displayNameOf, nameOf } from '../../api/names.ts'
import { useProfile } from '../../api/views.ts'
import { AccountBadge } from '../../parts/account/account-badge.tsx'
import { t } from '../../strings/en.ts'
import { formatRelative } from '../../strings/format.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { useDebounced } from '../../ui/debounced.ts'
import { Field } from '../../ui/field.tsx'
import { Page, Row } from '../../ui/page.tsx'
import { Badge, EmptyState, Paged } from '../../ui/states.tsx'
import { RelativeTime, useNow } from '../../ui/time.tsx'
import { AccountActions } from './account-actions.tsx'
import type { ListedAccount } from './listed-account.ts'

const pageSize = 50
/** The number of accounts from which the search field is shown. */
const searchFrom = 8

export function AccountsScreen() {
  const [search, setSearch] = useState('')
  const text = useDebounced(search.trim())
  const list = usePages(
    com.core.admin.searchAccounts,
    { email: text, limit: pageSize },
    (page) => page.accounts,
    { keepsPrevious: true },
  )
  const error = errorName(list.error) === 'Forbidden' ? t.accounts.notOwner : list.error
  // The field stays until all accounts are listed again: it has the focus.
  const isSearching = search !== '' || text !== '' || list.isPlaceholderData
  return (
    <Page lead={t.accounts.lead} title={t.nav.accounts}>
      {(isSearching || list.items.length >= searchFrom) && (
        <Field
          autoComplete="off"
          label={t.ui.search}
          onChange={(event) => setSearch(event.target.value)}
          placeholder={t.accounts.filterPlaceholder}
          required
          type="search"
          value={search}
        />
      )}
      <Paged
        empty={<EmptyState icon={UsersRound} text={t.accounts.noMatchText} title={t.accounts.noMatch} />}
        label={t.accounts.list}
        list={{ ...list, error }}
      >
        {(account) => <AccountRow account={account} key={account.did} />}
      </Paged>
    </Page>
  )
}

/** Of an imported account that was never activated: when it is deleted, or why it is kept. */
function Activation({ activation }: { readonly activation: NonNullable<ListedAccount['activation']> }) {
  const now = useNow()
  const { activateBy, kept } = activation
  const text = activateBy
    ? t.accounts.activateBy(activateBy, formatRelative(activateBy, now))
    : t.accounts.kept[kept ?? '']
  return text && <> · {text}</>
}

function StatusBadge({ account: { status, activation } }: { readonly account: ListedAccount }) {
  const isNew = status === 'deactivated' && activation !== undefined
  return isNew ? <Badge variant="warn">{t.accounts.unactivated}</Badge> : <AccountBadge status={status} />
}

/** Who gave the invite code: the administrator, or an account by its DID. */
function InvitedBy({ who }: { readonly who: string }) {
  const isAdmin = who === 'admin'
  const { data } = useProfile(isAdmin ? undefined : who)
  return <> · {t.accounts.invitedBy(isAdmin ? t.accounts.admin : data ? nameOf(data) : who)}</>
}

function AccountRow({ account }: { readonly account: ListedAccount }) {
  const { did, handle, email, indexedAt, owner, status, invitesDisabled, activation } = account
  const { data: profile } = useProfile(did)
  const name = profile ? displayNameOf(profile) : ''
  const invitedBy = account.invitedBy?.forAccount
  return (
    <Row
      action={!owner && <AccountActions account={account} />}
      as="li"
      detail={
        <>
          {name && `${handle} · `}
          {email ?? t.accounts.noEmail} · {t.accounts.joined} <RelativeTime at={indexedAt} />
          {invitedBy && <InvitedBy who={invitedBy} />}
          {activation && <Activation activation={activation} />}
        </>
      }
      icon={<Avatar handle={handle} picture={profile?.avatar} />}
      title={
        <>
          {name ? <bdi>{name}</bdi> : handle} {owner && <Badge>{t.status.owner}</Badge>}{' '}
          {status && <StatusBadge account={account} />}{' '}
          {invitesDisabled && <Badge>{t.accounts.noInvites}</Badge>}
        </>
      }
    />
  )
}
