import { Fragment } from 'react'
import styles from './facts.module.css'

/** Values by their name. A value that is undefined is left out. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, string | undefined>> }) {
  return (
    <dl className={styles.facts}>
      {Object.entries(facts).map(
        ([name, value]) =>
          value !== undefined && (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  )
}
