import type { HandleString } from '@atproto/syntax'
import { AtSign, Globe, KeyRound } from 'lucide-react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure, useXrpcQuery } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { PasswordDialog } from '../../parts/account/password-dialog.tsx'
import { proofOf } from '../../parts/account/proof-fields.tsx'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { DialogButton } from '../../ui/dialog.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { FormError, Loaded, Notice } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { HandleDialog } from './handle-dialog.tsx'
import { Identifiers } from './identifiers.tsx'
import styles from './identity.module.css'
import { RecoveryDialog } from './recovery-dialog.tsx'

/** The handle, the recovery keys and the identifiers of the account. */
export function IdentitySection() {
  const { did } = useSession()
  return (
    <Section lead={t.identity.lead} title={t.identity.title}>
      {did.startsWith('did:plc:') ? <PlcIdentity /> : <WebIdentity />}
      <Identifiers />
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
  return (
    <Loaded query={query} rows={2}>
      {({ keys, handle, published }) => {
        const own = keys.filter(({ server }) => !server)
        const canChange = own.length < keys.length
        const known = own.length === 0 ? t.identity.keysNone : t.identity.keysSome
        const detail = published ? known : t.kit.unpublished
        return (
          <Panel>
            <HandleRow named={handle} published={published} />
            <Row
              action={
                canChange && (
                  <DialogButton dialog={(close) => <RecoveryDialog onClose={close} published={published} />}>
                    {t.identity.addKey}
                  </DialogButton>
                )
              }
              detail={canChange ? detail : t.identity.keysForeign}
              icon={<KeyRound aria-hidden size={20} strokeWidth={1.75} />}
              title={t.identity.keys}
            />
            {own.map(({ key }) => (
              <Row
                action={
                  canChange && (
                    <DialogButton
                      aria-label={t.identity.removeKeyLabel(key)}
                      dialog={(close) => <RemoveKeyDialog onClose={close} publicKey={key} />}
                      size="s"
                      variant="quiet"
                    >
                      {t.ui.remove}
                    </DialogButton>
                  )
                }
                key={key}
                title={<code className={styles.key}>{key}</code>}
              />
            ))}
          </Panel>
        )
      }}
    </Loaded>
  )
}

interface HandleRowProps {
  /** Whether a directory has the identity; absent for a did:web. */
  readonly published?: boolean
  /** The handle that the identity names. */
  readonly named?: string | undefined
}

function HandleRow({ published, named }: HandleRowProps) {
  const { handle } = useSession()
  return (
    <>
      <Row
        action={
          <DialogButton
            aria-label={t.identity.changeHandle}
            dialog={(close) => <HandleDialog onClose={close} published={published ?? true} />}
          >
            {t.account.change}
          </DialogButton>
        }
        detail={published === undefined ? undefined : stateOf(published)}
        icon={<AtSign aria-hidden size={20} strokeWidth={1.75} />}
        title={handle}
      />
      {published && named !== handle && <OtherHandle named={named} />}
    </>
  )
}

function stateOf(published: boolean): string {
  return published ? t.identity.published : t.identity.unpublished
}

/** The directory names another handle, for example after a restore from a backup. */
function OtherHandle({ named }: { readonly named: string | undefined }) {
  const { handle } = useSession()
  const publish = useProcedure(com.core.identity.updateHandle, [com.core.identity.listRotationKeys], {
    onSuccess: () => toast(t.identity.publishedAgain),
  })
  return (
    <div className={styles.other}>
      <Notice
        action={
          <Button
            busy={publish.isPending}
            onClick={() => publish.mutate({ handle: handle as HandleString })}
            size="s"
          >
            {t.identity.publishAgain}
          </Button>
        }
        variant="warn"
      >
        {named === undefined ? t.identity.nameless : t.identity.renamed(named)}
      </Notice>
      <FormError error={publish.error} />
    </div>
  )
}

interface RemoveKeyDialogProps {
  readonly publicKey: string
  onClose(): void
}

function RemoveKeyDialog({ publicKey, onClose }: RemoveKeyDialogProps) {
  const remove = useDialogAction(com.core.identity.removeRecoveryKey, {
    invalidates: [com.core.identity.listRotationKeys, com.core.server.listSecurityChanges],
    input: (field) => ({ key: publicKey, ...proofOf(field) }),
    done: t.identity.keyRemoved,
    onClose,
  })
  return (
    <PasswordDialog
      {...remove}
      action={t.identity.removeSubmit}
      title={t.identity.removeTitle}
      variant="danger"
    >
      <p>{t.identity.removeText}</p>
      <code className={styles.key}>{publicKey}</code>
    </PasswordDialog>
  )
}
