import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import type { RestoreSource } from '../../../electron/ground/bridge.ts'
import { restoreProgress } from '../../api/copies.ts'
import { invalidate } from '../../api/desktop.ts'
import { cancel, isSilent, type OpenedState, preview, restore } from '../../api/restores.ts'
import { useMaybeSession } from '../../api/sessions.ts'
import { desktop } from '../../bridge.ts'
import { entrances } from '../../entrances.ts'
import { useStore } from '../../store.ts'
import { t } from '../../strings/en.ts'
import { formatBytes, formatDateTime, formatNumber } from '../../strings/format.ts'
import { ConfirmDialog, FormDialog } from '../../ui/dialog.tsx'
import { Field, PasswordField } from '../../ui/field.tsx'
import type { Fields } from '../../ui/form.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Stack } from '../../ui/page.tsx'
import { Notice } from '../../ui/states.tsx'
import { ProofFields, proofError, proofOf } from '../account/proof-fields.tsx'
import { useRestored } from '../backups/restored.tsx'
import { useDialogWork } from '../dialog-action.ts'
import { Facts } from '../facts.tsx'

interface RestoreDialogProps {
  /** The same object in each render. */
  readonly source: RestoreSource
  /** The newest state by default. */
  readonly at?: string | undefined
  /** The inputs of the person, before a source is opened. */
  readonly asks?: 'time' | 'passphrase' | undefined
  readonly title?: string
  /** The name of the chosen file. */
  readonly file?: string
  onClose(): void
}

type Request = [source: RestoreSource, at?: string | undefined]

/** Opens a state of the server, shows what would come back, and restores it after a confirmation. */
export function RestoreDialog(props: RestoreDialogProps) {
  const { source, at, asks, title = t.restoring.title, file } = props
  const did = useMaybeSession()?.did ?? ''
  const open = useMutation({ mutationFn: ([from, time]: Request) => preview(did, from, time) })
  const { mutate } = open
  useEffect(() => {
    if (asks === undefined) mutate([source, at])
  }, [asks, source, at, mutate])
  const onClose = () => {
    void cancel(did)
    props.onClose()
  }
  if (open.data) {
    const shown = { preview: open.data, request: open.variables, file }
    return <Confirm {...shown} onClose={onClose} title={title} />
  }
  const requestOf = (field: Fields): Request => {
    if (asks === 'time') return [source, new Date(field('time')).toISOString()]
    return [asks === 'passphrase' ? { from: 'file', passphrase: field('passphrase') } : source, at]
  }
  return (
    <FormDialog
      action={t.restoring.open}
      busy={open.isPending}
      error={open.error}
      onClose={onClose}
      onSubmit={(field) => mutate(requestOf(field))}
      title={title}
    >
      {asks === 'time' && (
        <Field
          hint={t.restoring.timeHint}
          label={t.restoring.time}
          name="time"
          required
          type="datetime-local"
        />
      )}
      {asks === 'passphrase' && (
        <PasswordField autoComplete="off" label={t.restoring.passphrase} name="passphrase" required />
      )}
      {open.isPending && <Progress />}
    </FormDialog>
  )
}

interface ConfirmProps extends Pick<RestoreDialogProps, 'onClose'> {
  readonly title: string
  readonly file: string | undefined
  readonly preview: OpenedState
  readonly request: Request
}

function Confirm({ title, file, preview: opened, request, onClose }: ConfirmProps) {
  const [source] = request
  const showRestored = useRestored()
  const [, navigate] = useLocation()
  // A computer that is new has nothing to lose.
  const isNew = source.from === 'otherPlace'
  const client = useQueryClient()
  const work = useDialogWork({
    run: (field, did) => restore(did, request, opened, proofOf(field)),
    onDone(restored) {
      void invalidate(client, 'restore.points')
      showRestored(restored)
      if (isNew) navigate(entrances.signIn)
    },
    onClose,
  })
  return (
    <ConfirmDialog
      {...work}
      error={desktop ? work.error : proofError(work.error)}
      {...(!isNew && { typed: { label: t.restoring.typed, text: t.restoring.typedWord } })}
      action={t.restoring.submit}
      dismissible={!work.busy}
      title={title}
    >
      <Stack>
        <Content file={file} preview={opened} />
        {opened.handles.length === 0 && <Notice variant="warn">{t.restoring.withoutAccounts}</Notice>}
        {opened.loss !== undefined && <Notice variant="warn">{opened.loss}</Notice>}
        <Notice variant="warn">
          {t.restoring.text} {isNew && t.restoring.otherComputer}
        </Notice>
        {!desktop && <ProofFields error={work.error} />}
        {work.busy && <Progress />}
        {work.error && (isNew || source.from === 'place') && <p>{t.restoring.again}</p>}
      </Stack>
    </ConfirmDialog>
  )
}

const shownHandles = 5

function Content({ file, preview }: Pick<ConfirmProps, 'file' | 'preview'>) {
  const { createdAt, bytes, handles, records, notifications, blobs, missingBlobs } = preview
  const hidden = handles.length - shownHandles
  const accounts = handles.length === 0 ? t.restoring.noAccounts : handles.slice(0, shownHandles).join(', ')
  return (
    <Facts
      facts={{
        [t.restoring.content.file]: file,
        [t.restoring.content.at]: formatDateTime(createdAt),
        [t.restoring.content.accounts]: hidden > 0 ? `${accounts} ${t.restoring.andMore(hidden)}` : accounts,
        [t.restoring.content.records]: formatNumber(records),
        [t.restoring.content.notifications]: formatNumber(notifications),
        [t.restoring.content.media]: t.restoring.mediaMissing(blobs, missingBlobs),
        [t.restoring.content.size]: formatBytes(bytes),
      }}
    />
  )
}

function Progress() {
  const progress = useStore(restoreProgress)
  const text = progress ? t.restoring.steps[progress.step] : t.restoring.opening
  return (
    <div>
      <p role="status">
        {text} {useStore(isSilent) && t.restoring.silent}
      </p>
      {progress && <Meter label={text} max={progress.total} title={text} value={progress.done} />}
    </div>
  )
}
