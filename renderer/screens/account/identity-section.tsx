import { AtSign, Globe, KeyRound } from 'lucide-react'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { HandleDialog } from './handle-dialog.tsx'
import styles from './identity.module.css'
import { RecoveryDialog } from './recovery-dialog.tsx'
import { RemoveKeyDialog } from './remove-key-dialog.tsx'

/** The handle and the recovery keys of the account. */
export function IdentitySection() {
  const { did } = useSession()
  return (
    <Section lead={t.identity.lead} title={t.identity.title}>
      {did.startsWith('did:plc:') ? <PlcIdentity /> : <WebIdentity />}
    </Section>
  )
}

/** A did:web, whose holder changes its document. */
function WebIdentity() {
  return (
    <Panel>
      <HandleRow />
      <Row
        detail={t.identity.web}
        icon={<Globe aria-hidden size={20} strokeWidth={1.75} />}
        title={<code className={styles.key}>{useSession().did}</code>}
      />
    </Panel>
  )
}

function PlcIdentity() {
  const query = useXrpcQuery(com.core.identity.listRotationKeys, {})
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<string>()
  return (
    <Loaded query={query} rows={2}>
      {({ keys, published }) => {
        const own = keys.filter(({ server }) => !server)
        return (
          <>
            <Panel>
              <HandleRow published={published} />
              <Row
                action={<Button onClick={() => setAdding(true)}>{t.identity.addKey}</Button>}
                detail={own.length === 0 ? t.identity.keysNone : t.identity.keysSome}
                icon={<KeyRound aria-hidden size={20} strokeWidth={1.75} />}
                title={t.identity.keys}
              />
              {own.map(({ key }) => (
                <Row
                  action={
                    <Button
                      aria-label={t.identity.removeKeyLabel(key)}
                      onClick={() => setRemoved(key)}
                      size="s"
                      variant="quiet"
                    >
                      {t.identity.removeKey}
                    </Button>
                  }
                  key={key}
                  title={<code className={styles.key}>{key}</code>}
                />
              ))}
            </Panel>
            {isAdding && <RecoveryDialog onClose={() => setAdding(false)} />}
            {removed !== undefined && (
              <RemoveKeyDialog onClose={() => setRemoved(undefined)} publicKey={removed} />
            )}
          </>
        )
      }}
    </Loaded>
  )
}

/** @param published whether a directory has the identity; absent for a did:web */
function HandleRow({ published }: { readonly published?: boolean }) {
  const { handle } = useSession()
  const [isOpen, setOpen] = useState(false)
  const state = published ? t.identity.published : t.identity.unpublished
  return (
    <>
      <Row
        action={
          <Button aria-label={t.identity.changeHandle} onClick={() => setOpen(true)}>
            {t.account.change}
          </Button>
        }
        detail={published === undefined ? undefined : state}
        icon={<AtSign aria-hidden size={20} strokeWidth={1.75} />}
        title={handle}
      />
      {isOpen && <HandleDialog onClose={() => setOpen(false)} published={published ?? true} />}
    </>
  )
}
