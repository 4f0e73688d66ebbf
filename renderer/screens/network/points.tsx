import styles from './network.module.css'

/** The consequences of a change, a paragraph each. */
export function Points({ texts }: { readonly texts: readonly string[] }) {
  return (
    <div className={styles.points}>
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  )
}
