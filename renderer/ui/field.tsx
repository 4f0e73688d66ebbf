import { ChevronDown, Eye, EyeOff } from 'lucide-react'
import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId, useState } from 'react'
import { t } from '../strings/en.ts'
import { classes } from './class-names.ts'
import styles from './field.module.css'

export interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string
  /** Help text below the field. */
  readonly hint?: ReactNode
  /** The validation error. */
  readonly error?: string | undefined
  /** Inside the frame, after the text. */
  readonly suffix?: ReactNode
  /** For codes, DIDs and passwords. */
  readonly mono?: boolean
  /** Omits the “optional” mark, for forms in which all fields are optional. */
  readonly unmarked?: boolean
}

/** A labelled text input. */
export function Field(props: FieldProps) {
  const { label, hint, error, suffix, mono = false, unmarked = false, className, ...input } = props
  const id = useId()
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ')
  return (
    <div className={classes(styles.field, className)}>
      <label className={styles.label} htmlFor={id}>
        {label}
        {!unmarked && !input.required && !input.readOnly && (
          <span className={styles.optional}>{t.ui.optional}</span>
        )}
      </label>
      <div className={styles.frame} data-invalid={error ? '' : undefined}>
        <input
          {...input}
          aria-describedby={described || undefined}
          aria-invalid={error ? true : undefined}
          className={classes(styles.input, mono && styles.mono)}
          id={id}
        />
        {suffix}
      </div>
      {error && (
        <p className={styles.error} id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint && (
        <div className={styles.hint} id={`${id}-hint`}>
          {hint}
        </div>
      )}
    </div>
  )
}

interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly label: string
  readonly error?: string | undefined
  readonly unmarked?: boolean
}

/** A labelled input for several lines. */
export function TextArea({ label, error, unmarked = false, ...input }: TextAreaProps) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
        {!unmarked && !input.required && <span className={styles.optional}>{t.ui.optional}</span>}
      </label>
      <div className={styles.frame} data-invalid={error ? '' : undefined}>
        <textarea
          {...input}
          aria-describedby={error && `${id}-error`}
          aria-invalid={error ? true : undefined}
          className={classes(styles.input, styles.lines)}
          id={id}
        />
      </div>
      {error && (
        <p className={styles.error} id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
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
      autoCapitalize="none"
      autoComplete="current-password"
      spellCheck={false}
      {...props}
      suffix={toggle}
      type={shown ? 'text' : 'password'}
    />
  )
}

interface SelectFieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly value: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  onChange(value: string): void
}

/** A labelled select. */
export function SelectField({ label, hint, value, options, onChange }: SelectFieldProps) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <div className={styles.frame}>
        <select
          aria-describedby={hint ? `${id}-hint` : undefined}
          className={classes(styles.input, styles.select)}
          id={id}
          onChange={(event) => onChange(event.target.value)}
          value={value}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
        <ChevronDown aria-hidden className={styles.chevron} size={16} />
      </div>
      {hint && (
        <div className={styles.hint} id={`${id}-hint`}>
          {hint}
        </div>
      )}
    </div>
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
      spellCheck={false}
      {...props}
    />
  )
}
