import { ChevronDown, Eye, EyeOff } from 'lucide-react'
import {
  type FormEvent,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
  useState,
} from 'react'
import { t } from '../strings/en.ts'
import { classes } from './class-names.ts'
import styles from './field.module.css'

export interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly ref?: Ref<HTMLInputElement>
  readonly label: string
  /** Help text below the field. */
  readonly hint?: ReactNode
  /** The validation error. */
  readonly error?: string | undefined
  /** Inside the frame, after the text. */
  readonly suffix?: ReactNode
  /** For codes, DIDs and addresses. */
  readonly mono?: boolean
  /** For text that the browser should not complete, capitalize or check. Given by default to `mono` fields. */
  readonly exact?: boolean
  /** Omits the “optional” mark, for forms in which all fields are optional. */
  readonly unmarked?: boolean
}

interface LabelledProps {
  readonly label: string
  readonly isOptional: boolean
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly suffix?: ReactNode
  readonly className?: string | undefined
  /** Renders the control. */
  readonly children: (control: Control) => ReactNode
}

interface Control {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

/** A control in a frame, with its label above, and its error and hint below. */
function Labelled({ label, isOptional, hint, error, suffix, className, children }: LabelledProps) {
  const id = useId()
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ')
  return (
    <div className={classes(styles.field, className)}>
      <label className={styles.label} htmlFor={id}>
        {label}
        {isOptional && <span className={styles.optional}>{t.ui.optional}</span>}
      </label>
      <div className={styles.frame} data-invalid={error ? '' : undefined}>
        {children({
          id,
          'aria-describedby': described || undefined,
          'aria-invalid': error ? true : undefined,
        })}
        {suffix}
      </div>
      {error && (
        <p className={styles.error} id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint && (
        <div className="soft" id={`${id}-hint`}>
          {hint}
        </div>
      )}
    </div>
  )
}

type TextControl = HTMLInputElement | HTMLTextAreaElement

/** Shows what a field lacks below it, in the place of the browser's own message, which lies over the next field. */
function useLack() {
  const [lack, setLack] = useState<string>()
  return {
    lack,
    onInvalid(event: FormEvent<TextControl>) {
      const field = event.currentTarget
      event.preventDefault()
      setLack(lackOf(field))
      if (field.form?.querySelector(':is(input, textarea, select):invalid') === field) field.focus()
    },
    onInput: () => setLack(undefined),
  }
}

function lackOf({ validity, type, minLength, validationMessage }: TextControl): string {
  if (validity.valueMissing) return t.ui.fillIn
  if (validity.tooShort) return t.ui.atLeast(minLength)
  if (validity.typeMismatch && type === 'email') return t.ui.emailForm
  return validity.typeMismatch && type === 'url' ? t.ui.urlForm : validationMessage
}

/** For handles, addresses and codes, which are no words of a language. */
const exactText = { autoCapitalize: 'none', autoComplete: 'off', spellCheck: false } as const

/** A labelled text input. */
export function Field(props: FieldProps) {
  const {
    label,
    hint,
    error,
    suffix,
    mono = false,
    exact = mono,
    unmarked = false,
    className,
    ...input
  } = props
  const isOptional = !unmarked && !input.required && !input.readOnly
  const { lack, ...watched } = useLack()
  return (
    <Labelled {...{ label, isOptional, hint, error: error ?? lack, suffix, className }}>
      {(control) => (
        <input
          {...(exact && exactText)}
          {...watched}
          {...input}
          {...control}
          className={classes(styles.input, mono && styles.mono)}
        />
      )}
    </Labelled>
  )
}

interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly label: string
  readonly error?: string | undefined
  readonly unmarked?: boolean
}

/** A labelled input for several lines. */
export function TextArea({ label, error, unmarked = false, ...input }: TextAreaProps) {
  const { lack, ...watched } = useLack()
  return (
    <Labelled error={error ?? lack} isOptional={!unmarked && !input.required} label={label}>
      {(control) => (
        <textarea {...watched} {...input} {...control} className={classes(styles.input, styles.lines)} />
      )}
    </Labelled>
  )
}

/** A password input with a button that shows the password. */
export function PasswordField(props: FieldProps) {
  const [shown, setShown] = useState(false)
  const toggle = (
    <button
      aria-label={t.ui.showPassword}
      aria-pressed={shown}
      className={styles.toggle}
      onClick={() => setShown(!shown)}
      title={t.ui.showPassword}
      type="button"
    >
      {shown ? <EyeOff aria-hidden size={18} /> : <Eye aria-hidden size={18} />}
    </button>
  )
  return (
    <Field
      autoComplete="current-password"
      exact
      {...props}
      suffix={toggle}
      type={shown ? 'text' : 'password'}
    />
  )
}

interface SelectFieldProps<T extends string>
  extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'value'> {
  readonly label: string
  readonly hint?: ReactNode
  /** The texts of the values, in order. */
  readonly options: Readonly<Record<T, string>>
  readonly value?: T
  onChange?(value: NoInfer<T>): void
}

/** A labelled select. */
export function SelectField<T extends string>(props: SelectFieldProps<T>) {
  const { label, hint, options, onChange, ...select } = props
  return (
    <Labelled
      hint={hint}
      isOptional={false}
      label={label}
      suffix={<ChevronDown aria-hidden className={styles.chevron} size={16} />}
    >
      {(control) => (
        <select
          {...select}
          {...control}
          className={classes(styles.input, styles.select)}
          onChange={(event) => onChange?.(event.target.value as T)}
        >
          {Object.entries<string>(options).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}

/** A hidden user name for password managers, in forms without a visible one. */
export function Username({ value }: { readonly value: string }) {
  return <input autoComplete="username" hidden readOnly value={value} />
}

/** An input for an emailed code. */
export function CodeField(props: Omit<FieldProps, 'label'> & { readonly label?: string }) {
  return (
    <Field
      autoCapitalize="characters"
      autoComplete="one-time-code"
      label={t.ui.code}
      mono
      placeholder={t.ui.codeShape}
      required
      {...props}
    />
  )
}
