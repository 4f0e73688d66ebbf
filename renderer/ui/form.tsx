import type { FormHTMLAttributes, Ref } from 'react'

/** Returns the text of a field of a submitted form, by its name; empty if there is no such field. */
export type Fields = (name: string) => string

export interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit'> {
  /** While it is busy, submissions are ignored. */
  readonly busy: boolean
  readonly ref?: Ref<HTMLFormElement>
  onSubmit(field: Fields): void
}

/** A form whose fields keep their own values until it is submitted. */
export function Form({ busy, onSubmit, ...form }: FormProps) {
  return (
    <form
      {...form}
      onSubmit={(event) => {
        event.preventDefault()
        const data = new FormData(event.currentTarget)
        if (!busy) onSubmit((name) => String(data.get(name) ?? ''))
      }}
    />
  )
}
