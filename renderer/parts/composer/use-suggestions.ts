/** People whose handle or name begins with what is typed after `@`. */
import { type KeyboardEvent, type RefObject, type SyntheticEvent, useId, useState } from 'react'
import { app } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { useDebounced } from '../../ui/debounced.ts'
import { mentionBefore, type TypedMention } from './mention-before.ts'

const { searchActorsTypeahead } = app.example.actor

export type SuggestedPerson = Body<typeof searchActorsTypeahead.main>['actors'][number]

const limit = 6
const staleTime = 60_000

/** Suggestions for a text field. The field has `props`; the list shows `people` and calls `choose`. */
export interface Suggestions {
  readonly listId: string
  readonly people: readonly SuggestedPerson[]
  /** The index of the person that Enter inserts. */
  readonly active: number
  optionId(index: number): string
  choose(person: SuggestedPerson): void
  readonly props: {
    readonly 'aria-autocomplete': 'list'
    readonly 'aria-controls': string | undefined
    readonly 'aria-activedescendant': string | undefined
    onSelect(event: SyntheticEvent<HTMLTextAreaElement>): void
    onBlur(): void
    onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void
  }
}

/** @param field the text field, whose text is `text` */
export function useSuggestions(field: RefObject<HTMLTextAreaElement | null>, text: string): Suggestions {
  const listId = useId()
  const [caret, setCaret] = useState<number>()
  /** The position of the mention whose suggestions were closed. */
  const [closed, setClosed] = useState<number>()
  const [selected, setSelected] = useState({ query: '', index: 0 })
  const mention = caret === undefined ? undefined : mentionBefore(text, caret)
  const people = usePeople(mention?.start === closed ? undefined : mention?.query)
  const active = selected.query === mention?.query ? Math.min(selected.index, people.length - 1) : 0
  const person = people[active]
  const optionId = (index: number) => `${listId}-${index}`
  const choose = ({ handle }: SuggestedPerson) => insertHandle(field.current, mention, handle)
  const move = (by: number) =>
    setSelected({ query: mention?.query ?? '', index: (active + by + people.length) % people.length })
  const keys: Keys = person && {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => choose(person),
    Escape: () => setClosed(mention?.start),
  }
  return {
    ...{ listId, people, active, optionId, choose },
    props: {
      'aria-autocomplete': 'list',
      'aria-controls': person && listId,
      'aria-activedescendant': person && optionId(active),
      onSelect({ currentTarget: { selectionStart, selectionEnd } }) {
        setCaret(selectionStart === selectionEnd ? selectionStart : undefined)
      },
      onBlur: () => setCaret(undefined),
      onKeyDown: (event) => press(event, keys),
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

/** Replaces what is typed of a mention by a handle, if it still is at the caret. */
function insertHandle(
  area: HTMLTextAreaElement | null,
  mention: TypedMention | undefined,
  handle: string,
): void {
  const typed = area && mentionBefore(area.value, area.selectionStart)
  if (!typed || typed.start !== mention?.start) return
  const isFollowed = /^\s/.test(area.value.slice(typed.end))
  area.setRangeText(`@${handle}${isFollowed ? '' : ' '}`, typed.start, typed.end, 'end')
  area.dispatchEvent(new InputEvent('input', { bubbles: true }))
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
