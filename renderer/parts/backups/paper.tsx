import type { ReactNode } from 'react'
import { classes } from '../../ui/class-names.ts'
import styles from './paper.module.css'

/** A page that its holder keeps. Printing prints this page alone. */
export function Paper({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <article aria-label={title} className={styles.kit}>
      <h3 className={styles.title}>{title}</h3>
      {children}
    </article>
  )
}

interface Fact {
  readonly name: string
  readonly value: string
}

export function PaperFacts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(({ name, value }) => (
        <div key={`${name} ${value}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A key, in groups of four. */
export function PaperKey({ name, value }: Fact) {
  return (
    <output aria-label={name} className={styles.secret}>
      {inGroups(value)}
    </output>
  )
}

/** Codes, one a line. */
export function PaperCodes({ name, codes }: { readonly name: string; readonly codes: readonly string[] }) {
  return (
    <output aria-label={name} className={classes(styles.secret, styles.codes)}>
      {codes.join('\n')}
    </output>
  )
}

export function PaperNote({ children }: { readonly children: ReactNode }) {
  return <p className="soft">{children}</p>
}

export function PaperSteps({ steps }: { readonly steps: readonly string[] }) {
  return (
    <ol className={styles.steps}>
      {steps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  )
}

/** What a key begins with, by which forms ask for it. */
const prefix = /^AGE-SECRET-KEY-1/

/** Splits a key into its prefix and groups of four, for reading and writing. */
export function inGroups(key: string): string {
  const [begin] = prefix.exec(key) ?? []
  const groups = key.slice(begin?.length ?? 0).match(/.{1,4}/g) ?? []
  return [begin, ...groups].filter(Boolean).join(' ')
}
