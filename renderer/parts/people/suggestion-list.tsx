import { t } from '../../strings/en.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Address, PersonName } from '../../ui/person.tsx'
import styles from './suggestion-list.module.css'
import type { Suggestions } from './suggestions.ts'

interface SuggestionListProps {
  readonly of: Suggestions
}

/** The suggested people below a text field. Their number is announced by screen readers. */
export function SuggestionList({ of: { listId, people, active, optionId, choose } }: SuggestionListProps) {
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
