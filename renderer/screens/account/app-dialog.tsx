import { useQuery } from '@tanstack/react-query'
import { com } from '../../../lexicons/generated/index.ts'
import { type Body, callAs } from '../../api/client.ts'
import { useSession } from '../../api/sessions.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { CopyBlock } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { Loaded } from '../../ui/states.tsx'

interface AppDialogProps {
  onCodes(codes: readonly string[] | undefined): void
  onClose(): void
}

/** Adds an authenticator app: shows its secret, asks for a code that it makes. */
export function AppDialog(props: AppDialogProps) {
  const { did } = useSession()
  const query = useQuery({
    queryKey: [did, 'startTotp'],
    queryFn: () => callAs(did, com.core.factor.startTotp, {}),
    gcTime: 0,
    // Another call makes another secret.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (query.data) return <ConfirmDialog {...props} started={query.data} />
  return (
    <Dialog onClose={props.onClose} title={t.factors.appTitle}>
      <Loaded query={query}>{() => null}</Loaded>
    </Dialog>
  )
}

interface ConfirmDialogProps extends AppDialogProps {
  readonly started: Body<typeof com.core.factor.startTotp.main>
}

function ConfirmDialog({ started: { id, secret, uri }, onCodes, onClose }: ConfirmDialogProps) {
  const confirm = useDialogAction(com.core.factor.confirmTotp, {
    invalidates: [com.core.factor.listFactors],
    input: (field) => ({ id, name: field('name'), code: field('code') }),
    done: ({ name }) => t.factors.addedToast(name.trim()),
    onDone: ({ recoveryCodes }) => onCodes(recoveryCodes),
    onClose,
  })
  return (
    <FormDialog {...confirm} action={t.factors.turnOn} title={t.factors.appTitle}>
      <p>{t.factors.appScan}</p>
      <QrCode label={t.factors.appQr} text={uri} />
      <CopyBlock label={t.factors.appSecret} text={secret} wrap />
      <Field
        autoComplete="off"
        defaultValue={t.factors.phone}
        label={t.factors.name}
        maxLength={64}
        name="name"
        required
      />
      <Field
        autoComplete="one-time-code"
        inputMode="numeric"
        label={t.factors.appCode}
        mono
        name="code"
        required
      />
    </FormDialog>
  )
}
