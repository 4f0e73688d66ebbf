import { type TextareaHTMLAttributes, useId } from 'react'
import { t } from '../strings/en.ts'
import { classes } from './class-names.ts'
import styles from './field.module.css'

interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly label: string
}

/** A labelled input for text of several lines. */
export function TextArea({ label, ...input }: TextAreaProps) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
        {!input.required && <span className={styles.optional}>{t.ui.optional}</span>}
      </label>
      <div className={styles.frame}>
        <textarea {...input} className={classes(styles.input, styles.area)} id={id} />
      </div>
    </div>
  )
}
