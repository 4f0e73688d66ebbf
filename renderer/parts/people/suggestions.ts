/** People whose handle or name begins with what is typed, for any text field. */
import { type KeyboardEvent, useId, useState } from 'react'
import { app } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { useDebounced } from '../../ui/debounced.ts'

const { searchActorsTypeahead } = app.example.actor

export type SuggestedPerson = Body<typeof searchActorsTypeahead.main>['actors'][number]

const limit = 6
const staleTime = 60_000

interface SuggestionOptions {
  /** The beginning of a handle or name; undefined: nothing is suggested. */
  readonly query: string | undefined
  /** The person that Enter chooses before an arrow key is pressed; -1: none. */
  readonly first: 0 | -1
  onChoose(person: SuggestedPerson): void
  /** Called by Escape. */
  onClose(): void
}

/** Suggestions for a text field. The field has `props`; `SuggestionList` shows the people. */
export interface Suggestions {
  readonly listId: string
  readonly people: readonly SuggestedPerson[]
  /** The index of the person that Enter chooses; -1: none. */
  readonly active: number
  optionId(index: number): string
  choose(person: SuggestedPerson): void
  readonly props: {
    readonly 'aria-autocomplete': 'list'
    readonly 'aria-controls': string | undefined
    readonly 'aria-activedescendant': string | undefined
    onKeyDown(event: KeyboardEvent): void
  }
}

export function useSuggestions({ query, first, onChoose, onClose }: SuggestionOptions): Suggestions {
  const listId = useId()
  const [selected, setSelected] = useState({ query: '', index: 0 })
  const people = usePeople(query)
  const active = Math.min(selected.query === query ? selected.index : first, people.length - 1)
  const person = people[active]
  const optionId = (index: number) => `${listId}-${index}`
  const move = (index: number) =>
    setSelected({ query: query ?? '', index: (index + people.length) % people.length })
  const keys: Keys = {
    ArrowDown: () => move(active + 1),
    ArrowUp: () => move(Math.max(active, 0) - 1),
    ...(person && { Enter: () => onChoose(person) }),
    Escape: onClose,
  }
  return {
    ...{ listId, people, active, optionId, choose: onChoose },
    props: {
      'aria-autocomplete': 'list',
      'aria-controls': people.length > 0 ? listId : undefined,
      'aria-activedescendant': person && optionId(active),
      onKeyDown: (event) => press(event, people.length > 0 ? keys : undefined),
    },
  }
}

/** What keys do while there are suggestions. */
type Keys = Readonly<Record<string, () => void>> | undefined

function press(event: KeyboardEvent, keys: Keys): void {
  const action = keys?.[event.key]
  if (!action || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return
  // Escape would also close the dialog.
  event.preventDefault()
  event.stopPropagation()
  action()
}

/** Returns the people for what is typed now: an answer for an earlier text is of no use. */
function usePeople(query: string | undefined): readonly SuggestedPerson[] {
  const q = useDebounced(query ?? '')
  const { data } = useXrpcQuery(searchActorsTypeahead, { q, limit }, { enabled: q !== '', staleTime })
  if (query === undefined || q !== query) return []
  const people = data?.actors.filter(({ handle }) => handle !== 'handle.invalid') ?? []
  const isComplete = people.length === 1 && people[0]?.handle === query.toLowerCase()
  return isComplete ? [] : people
}
