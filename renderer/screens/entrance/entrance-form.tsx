import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { switchTo } from '../../api/sessions.ts'
import { isEntrance } from '../../entrances.ts'
import { Button } from '../../ui/button.tsx'
import { type Fields, Form } from '../../ui/form.tsx'
import { isWide } from '../../ui/is-wide.ts'
import { Stack, useTitle } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import styles from './entrance.module.css'

interface EntranceFormProps {
  readonly title: string
  /** One sentence that explains the step. */
  readonly lead?: string
  /** Content between the heading and the form. */
  readonly before?: ReactNode
  /** The fields. */
  readonly children: ReactNode
  /** The label of the submit button, a verb. */
  readonly action: string
  readonly busy: boolean
  readonly error: unknown
  /** Links to other screens, below the button. */
  readonly links: ReactNode
  /** Focuses the first empty field on mount, also on a narrow screen. */
  readonly focusFirst?: boolean
  onSubmit(field: Fields): void
}

/** A step: heading, fields, error, submit button, links. The heading takes no focus: a wide screen focuses the first empty field. */
export function EntranceForm(props: EntranceFormProps) {
  const { title, lead, before, children, action, busy, error, links, focusFirst = false, onSubmit } = props
  const form = useRef<HTMLFormElement>(null)
  useTitle(title)
  useEffect(() => {
    if (focusFirst || isWide()) focusFirstEmpty(form.current)
  }, [focusFirst])
  return (
    <>
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {lead && <p className={styles.lead}>{lead}</p>}
      </div>
      {before}
      <Form busy={busy} onSubmit={onSubmit} ref={form}>
        <Stack>
          {children}
          <FormError error={error} />
          <Button busy={busy} className={styles.submit} variant="primary" type="submit">
            {action}
          </Button>
          {links}
        </Stack>
      </Form>
    </>
  )
}

function focusFirstEmpty(form: HTMLFormElement | null): void {
  const fields = [...(form?.querySelectorAll<HTMLInputElement>('input:not([hidden], [readonly])') ?? [])]
  const first = fields.find(({ value }) => value === '') ?? fields[0]
  first?.focus()
}

/** Shows an account that has signed in: on the screen on which its last session ended, or Home. */
export function useEnter(): (account: { readonly did: string }) => void {
  const [path, navigate] = useLocation()
  return ({ did }) => {
    switchTo(did)
    if (isEntrance(path)) navigate('/')
  }
}
