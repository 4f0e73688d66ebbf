import { Circle, CircleCheck } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { app } from '../../../lexicons/generated/index.ts'
import { birthDateIn } from '../../api/birth-date.ts'
import { copiesScreen } from '../../api/copies.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { BirthDateDialog } from '../../parts/account/birth-date-dialog.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/class-names.ts'
import { DialogButton } from '../../ui/dialog.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { Section } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import styles from './first-steps.module.css'
import { setHiddenMarks, useHiddenMarks } from './hidden-marks.ts'
import { type Mark, type Marks, useMarks } from './marks.ts'

interface FirstStepsProps {
  /** Called to show how a client is connected. */
  onConnect(): void
}

/**
 * What makes an account complete and safe. It can be hidden, and comes back with what has to be done again: a copy that is too old, a
 * recovery key that the identity names no longer.
 */
export function FirstSteps({ onConnect }: FirstStepsProps) {
  const { did, status } = useSession()
  const marks = useMarks()
  const hidden = useHiddenMarks(did)
  if (status !== undefined) return null
  if (marks) return <List marks={marks} onConnect={onConnect} />
  // Keeps the place of a list that is most likely shown.
  return hidden ? null : (
    <Section title={t.firstSteps.title}>
      <Skeleton />
    </Section>
  )
}

function List({ marks, onConnect }: FirstStepsProps & { readonly marks: Marks }) {
  const { did } = useSession()
  const hidden = useHiddenMarks(did)
  const open = [...marks.keys()].filter((mark) => marks.get(mark) === false)
  useForgetDone(did, open)
  const due = open.filter((mark) => !hidden?.includes(mark))
  if (due.length === 0) return null
  const shown = hidden ? due : [...marks.keys()]
  const hide = () => {
    setHiddenMarks(did, open)
    toast(t.firstSteps.dismissed, () => setHiddenMarks(did, hidden))
  }
  return (
    <Section
      action={
        <Button onClick={hide} size="s" variant="quiet">
          {t.firstSteps.dismiss}
        </Button>
      }
      lead={hidden ? undefined : t.firstSteps.done(marks.size - open.length, marks.size)}
      title={hidden ? t.firstSteps.aged : t.firstSteps.title}
    >
      <ul className={styles.list}>
        {shown.map((mark) => (
          <Step isDone={marks.get(mark) === true} key={mark} mark={mark} onConnect={onConnect} />
        ))}
      </ul>
      {!hidden && <Later />}
    </Section>
  )
}

/** A step that was done is no longer hidden: if it has to be done again, the list comes back. */
function useForgetDone(did: string, open: readonly Mark[]): void {
  const hidden = useHiddenMarks(did)
  const isComplete = open.length === 0
  useEffect(() => {
    if (!hidden && isComplete) setHiddenMarks(did, [])
    const kept = hidden?.filter((mark) => open.includes(mark))
    if (kept && kept.length < (hidden?.length ?? 0)) setHiddenMarks(did, kept)
  })
}

interface StepProps extends FirstStepsProps {
  readonly mark: Mark
  readonly isDone: boolean
}

function Step({ mark, isDone, onConnect }: StepProps) {
  const Icon = isDone ? CircleCheck : Circle
  return (
    <li className={styles.step} data-done={isDone}>
      <Icon aria-hidden size={18} />
      <p className={styles.text}>
        <span className="visually-hidden">{isDone ? t.firstSteps.isDone : t.firstSteps.isOpen} </span>
        <strong>{t.firstSteps.names[mark]}</strong>
        {!isDone && <span className={classes('soft', styles.detail)}> {t.firstSteps.details[mark]}</span>}
      </p>
      {!isDone && <Action mark={mark} onConnect={onConnect} />}
    </li>
  )
}

const screens = { profile: '/account', copy: copiesScreen, recovery: '/account' } as const

function Action({ mark, onConnect }: Omit<StepProps, 'isDone'>): ReactNode {
  const label = t.firstSteps.actions[mark]
  if (mark !== 'client')
    return (
      <LinkButton href={screens[mark]} size="s">
        {label}
      </LinkButton>
    )
  return (
    <Button onClick={onConnect} size="s">
      {label}
    </Button>
  )
}

/** What the sign-up left out, and no step needs. */
function Later() {
  const { email } = useSession()
  const { data } = useXrpcQuery(app.example.actor.getPreferences, {})
  const asksDate = data !== undefined && birthDateIn(data.preferences) === undefined
  if (email !== undefined && !asksDate) return null
  return (
    <p className={styles.later}>
      {t.firstSteps.later}
      {email === undefined && (
        <LinkButton href="/account" size="s">
          {t.firstSteps.email}
        </LinkButton>
      )}
      {asksDate && (
        <DialogButton dialog={(close) => <BirthDateDialog onClose={close} />} size="s">
          {t.firstSteps.birthDate}
        </DialogButton>
      )}
    </p>
  )
}
