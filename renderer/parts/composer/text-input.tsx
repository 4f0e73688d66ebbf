/** The text of a post, with suggestions of people after `@`. */
import type { Ref, RefObject, TextareaHTMLAttributes } from 'react'
import { t } from '../../strings/en.ts'
import { SuggestionList } from '../people/suggestion-list.tsx'
import styles from './composer.module.css'
import { useMentions } from './use-mentions.ts'

interface TextInputProps extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'value'> {
  readonly ref: RefObject<HTMLTextAreaElement | null>
  readonly value: string
  onChange(text: string): void
}

export function TextInput({ ref, value, onChange, ...area }: TextInputProps) {
  const suggestions = useMentions(ref, value)
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
