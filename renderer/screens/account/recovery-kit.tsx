import { Printer } from 'lucide-react'
import { useState } from 'react'
import { endpoint } from '../../api/endpoint.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { formatDate } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { inGroups, type RecoveryKey } from './recovery-key.ts'
import styles from './recovery-kit.module.css'

/** The page that its holder keeps: the account, the key, and instructions. Printing prints this page alone. */
export function RecoveryKit({
  recoveryKey: { publicKey, secretKey },
}: {
  readonly recoveryKey: RecoveryKey
}) {
  const { did, handle } = useSession()
  const [createdAt] = useState(() => new Date().toISOString())
  const facts = [
    { name: t.kit.handle, value: handle },
    { name: t.kit.did, value: did },
    { name: t.kit.server, value: endpoint },
    { name: t.kit.created, value: formatDate(createdAt) },
    { name: t.kit.publicKey, value: publicKey },
  ]
  return (
    <>
      <article aria-label={t.kit.title} className={styles.kit}>
        <h3 className={styles.title}>{t.kit.title}</h3>
        <p>{t.kit.keep}</p>
        <dl className={styles.facts}>
          {facts.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <h4>{t.kit.secretKey}</h4>
        <output aria-label={t.kit.secretKey} className={styles.secret}>
          {inGroups(secretKey)}
        </output>
        <p className={styles.note}>{t.kit.secretNote}</p>
        <h4>{t.kit.useTitle}</h4>
        <ol className={styles.steps}>
          {t.kit.use.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <p className={styles.note}>{t.kit.undo}</p>
      </article>
      <div className={styles.actions}>
        <Button icon={<Printer aria-hidden size={16} />} onClick={() => window.print()}>
          {t.identity.print}
        </Button>
        <CopyButton full label={t.identity.copySecret} text={secretKey} />
      </div>
    </>
  )
}
