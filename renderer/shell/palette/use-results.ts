/** What the palette shows for what is typed. */
import { KeyRound, Search } from 'lucide-react'
import { useMemo } from 'react'
import { app, com } from '../../../lexicons/generated/index.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { handleOf, nameOf } from '../../api/names.ts'
import { switchTo, useSession, useSessions } from '../../api/sessions.ts'
import { personPath, searchPath } from '../../parts/posts/paths.ts'
import { t } from '../../strings/en.ts'
import { useDebounced } from '../../ui/debounced.ts'
import { localItems, matching, type PaletteItem } from './items.ts'
import { recentIds } from './recent.ts'

const { searchActorsTypeahead } = app.example.actor

/** Of each group, so that the last ones stay in view. */
const maxItems = 6
const staleTime = 60_000

interface Group {
  readonly name: string
  readonly items: readonly PaletteItem[]
}

export interface Results {
  readonly groups: readonly Group[]
  /** Whether nothing matches but a search elsewhere. */
  readonly isEmpty: boolean
  readonly isSearching: boolean
}

/** Returns what matches a query; all screens, with those used last above them, for an empty one. */
export function useResults(query: string, isOwner: boolean): Results {
  const local = useMemo(() => localItems(isOwner), [isOwner])
  const recent = useMemo(recentIds, [])
  const passwords = usePasswords()
  const accounts = useOtherAccounts()
  const { people, isSearching } = usePeople(query)
  if (query === '') return { groups: initialGroups(local, recent), isEmpty: false, isSearching: false }
  const found = [
    { name: t.palette.groups.found, items: matching(local, query, recent).slice(0, maxItems) },
    { name: t.palette.groups.passwords, items: matching(passwords, query).slice(0, maxItems) },
    { name: t.palette.groups.accounts, items: matching(accounts, query) },
    { name: t.palette.groups.people, items: people },
  ]
  const posts = { name: t.palette.groups.posts, items: searchOfPosts(query) }
  const isEmpty = found.every(({ items }) => items.length === 0)
  return { groups: withItems([...found, posts]), isEmpty, isSearching }
}

function initialGroups(local: readonly PaletteItem[], recent: readonly string[]): readonly Group[] {
  const used = recent.flatMap((id) => local.find((item) => item.id === id) ?? [])
  const others = local.filter((item) => item.id === item.path && !used.includes(item))
  return withItems([
    { name: t.palette.groups.recent, items: used },
    { name: t.palette.groups.screens, items: others },
  ])
}

function withItems(groups: readonly Group[]): readonly Group[] {
  return groups.filter(({ items }) => items.length > 0)
}

function usePasswords(): readonly PaletteItem[] {
  const { data } = useXrpcQuery(com.core.server.listAppPasswords, {}, { staleTime })
  return (data?.passwords ?? []).map(({ name }) => ({
    ...{ id: `password ${name}`, name, section: name, icon: KeyRound },
    path: '/apps',
  }))
}

function useOtherAccounts(): readonly PaletteItem[] {
  const { did: current } = useSession()
  return useSessions()
    .filter(({ did }) => did !== current)
    .map(({ did, handle }) => ({
      ...{ id: `account ${did}`, name: handle, detail: t.palette.switchTo },
      ...{ path: '/', person: { handle }, onOpen: () => switchTo(did) },
    }))
}

/** Returns the people for what is typed now: an answer for an earlier text is of no use. */
function usePeople(query: string) {
  const q = useDebounced(query)
  const isAsked = q !== '' && q === query
  const found = useXrpcQuery(searchActorsTypeahead, { q, limit: maxItems }, { enabled: isAsked, staleTime })
  const people = (isAsked && found.data?.actors) || []
  return {
    isSearching: q !== query || found.isFetching,
    people: people.map((person) => ({
      ...{ id: `person ${person.did}`, name: nameOf(person), path: personPath(person.did), person },
      detail: person.displayName ? handleOf(person) : undefined,
    })),
  }
}

/** The search for posts. */
function searchOfPosts(query: string): readonly PaletteItem[] {
  const path = searchPath('posts', query.toWellFormed())
  return [{ id: 'search', name: t.palette.searchPosts(query), icon: Search, path }]
}
