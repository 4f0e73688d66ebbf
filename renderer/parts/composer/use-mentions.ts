/** Suggestions of people after `@` in the text of a post. */
import { type RefObject, type SyntheticEvent, useState } from 'react'
import { type Suggestions, useSuggestions } from '../people/suggestions.ts'
import { mentionBefore, type TypedMention } from './mention-before.ts'

interface Mentions extends Suggestions {
  readonly props: Suggestions['props'] & {
    onSelect(event: SyntheticEvent<HTMLTextAreaElement>): void
    onBlur(): void
  }
}

/** @param field the text field, whose text is `text` */
export function useMentions(field: RefObject<HTMLTextAreaElement | null>, text: string): Mentions {
  const [caret, setCaret] = useState<number>()
  /** The position of the mention whose suggestions were closed. */
  const [closed, setClosed] = useState<number>()
  const mention = caret === undefined ? undefined : mentionBefore(text, caret)
  const suggestions = useSuggestions({
    query: mention?.start === closed ? undefined : mention?.query,
    first: 0,
    onChoose: ({ handle }) => insertHandle(field.current, mention, handle),
    onClose: () => setClosed(mention?.start),
  })
  return {
    ...suggestions,
    props: {
      ...suggestions.props,
      onSelect({ currentTarget: { selectionStart, selectionEnd } }) {
        setCaret(selectionStart === selectionEnd ? selectionStart : undefined)
      },
      onBlur: () => setCaret(undefined),
    },
  }
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
