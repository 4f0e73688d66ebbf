import { useRef, useState } from 'react'
import { Field, type FieldProps } from '../../ui/field.tsx'
import styles from './person-field.module.css'
import { SuggestionList } from './suggestion-list.tsx'
import { useSuggestions } from './suggestions.ts'

/** At least so many letters are typed before people are suggested. */
const minLength = 2

/** A field for the handle or DID of a person, with suggestions while a handle or name is typed. */
export function PersonField(props: FieldProps) {
  const field = useRef<HTMLInputElement>(null)
  /** What is typed; undefined while nothing is suggested. */
  const [typed, setTyped] = useState<string>()
  const close = () => setTyped(undefined)
  const suggestions = useSuggestions({
    query: typed,
    // Enter takes what is typed.
    first: -1,
    onChoose({ handle }) {
      if (field.current) field.current.value = handle
      close()
    },
    onClose: close,
  })
  return (
    <div className={styles.person}>
      <Field
        {...props}
        {...suggestions.props}
        aria-expanded={suggestions.people.length > 0}
        exact
        onBlur={close}
        onKeyDown={(event) => {
          suggestions.props.onKeyDown(event)
          // The form is sent.
          if (event.key === 'Enter') close()
        }}
        onChange={({ target }) => setTyped(queryOf(target.value))}
        ref={field}
        role="combobox"
      />
      <SuggestionList of={suggestions} />
    </div>
  )
}

/** Returns the text to search for; undefined for a DID, and for few letters. */
function queryOf(text: string): string | undefined {
  const name = text.trim().replace(/^@/, '')
  return name.length < minLength || name.startsWith('did:') ? undefined : name
}
