import { type FormHTMLAttributes, type Ref, useState } from 'react'
import { useHold } from './unsaved.ts'

/** Returns the text of a field of a submitted form, by its name; empty if there is no such field. */
export type Fields = (name: string) => string

export interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit'> {
  /** While it is busy, submissions are ignored. */
  readonly busy: boolean
  /** What is typed is stored at once: the page may end meanwhile. */
  readonly isStored?: boolean
  readonly ref?: Ref<HTMLFormElement>
  onSubmit(field: Fields): void
}

/** A form whose fields keep their own values until it is submitted. */
export function Form({ busy, isStored = false, onInput, onSubmit, ...form }: FormProps) {
  const [isTyped, setTyped] = useState(false)
  useHold(isTyped && !isStored)
  return (
    <form
      {...form}
      onInput={(event) => {
        setTyped(true)
        onInput?.(event)
      }}
      onSubmit={(event) => {
        event.preventDefault()
        setTyped(false)
        const data = new FormData(event.currentTarget)
        if (!busy) onSubmit((name) => String(data.get(name) ?? ''))
      }}
    />
  )
}
