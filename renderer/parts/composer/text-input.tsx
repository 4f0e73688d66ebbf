/** The text of a post, with suggestions of people after `@`. */
import type { Ref, RefObject, TextareaHTMLAttributes } from 'react'
import { t } from '../../strings/en.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Address, PersonName } from '../../ui/person.tsx'
import styles from './composer.module.css'
import { type Suggestions, useSuggestions } from './use-suggestions.ts'

interface TextInputProps extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'value'> {
  readonly ref: RefObject<HTMLTextAreaElement | null>
  readonly value: string
  onChange(text: string): void
}

export function TextInput({ ref, value, onChange, ...area }: TextInputProps) {
  const suggestions = useSuggestions(ref, value)
  return (
    <div className={styles.input}>
      <textarea
        {...area}
        {...suggestions.props}
        aria-label={t.composer.label}
        className={styles.text}
        dir="auto"
        onChange={({ target }) => onChange(target.value)}
        ref={ref as Ref<HTMLTextAreaElement>}
        rows={3}
        value={value}
      />
      <SuggestionList of={suggestions} />
    </div>
  )
}

function SuggestionList({ of: { listId, people, active, optionId, choose } }: { readonly of: Suggestions }) {
  return (
    <>
      <span className="visually-hidden" role="status">
        {people.length > 0 && t.composer.suggestions(people.length)}
      </span>
      {people.length > 0 && (
        <div aria-label={t.composer.people} className={styles.suggestions} id={listId} role="listbox">
          {people.map((person, index) => (
            <div
              aria-selected={index === active}
              className={styles.suggestion}
              id={optionId(index)}
              key={person.did}
              // Before the click, which would move the focus.
              onMouseDown={(event) => {
                event.preventDefault()
                choose(person)
              }}
              role="option"
              tabIndex={-1}
            >
              <Avatar handle={person.handle} picture={person.avatar} size="s" />
              <span className={styles.person}>
                <PersonName of={person} />
                <Address of={person} />
              </span>
            </div>
          ))}
        </div>
      )}
    </>
  )
}
