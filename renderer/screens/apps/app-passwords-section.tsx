import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { type Body, callAs } from '../../api/client.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { ConfirmDialog, Dialog, DialogButton, FormDialog } from '../../ui/dialog.tsx'
import { Field, SelectField } from '../../ui/field.tsx'
import { Row, Section } from '../../ui/page.tsx'
import { Secret } from '../../ui/secret.tsx'
import { useSought } from '../../ui/sought.ts'
import { Badge, EmptyState, LoadedList } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { RelativeTime, Since } from '../../ui/time.tsx'
import { UnusedButton } from './unused.tsx'
import { Uses } from './uses.tsx'

const { listAppPasswords, listSessions, revokeAppPassword } = com.core.server

type AppPassword = Body<typeof listAppPasswords.main>['passwords'][number]

/** The limit of the server for each account. */
const maxPasswords = 100

/** The app passwords of the account: one for each client that signs in by password. */
export function AppPasswordsSection() {
  const list = useXrpcQuery(listAppPasswords, {})
  const [created, setCreated] = useState<CreatedPassword>()
  const passwords = list.data?.passwords ?? []
  const usedNames = passwords.map(({ name }) => name)
  const create = (
    <DialogButton
      dialog={(close) => <CreateDialog onClose={close} onCreated={setCreated} usedNames={usedNames} />}
      disabled={passwords.length >= maxPasswords}
      icon={<Plus aria-hidden size={16} />}
      variant="primary"
    >
      {t.appPasswords.create}
    </DialogButton>
  )
  return (
    <Section
      action={
        list.data?.passwords.length !== 0 && (
          <div className="buttons">
            <UnusedButton
              end={(did, { name }) => callAs(did, revokeAppPassword, { body: { name } })}
              items={passwords}
              nameOf={({ name }) => name}
              words={t.appPasswords.unused}
            />
            {create}
          </div>
        )
      }
      lead={
        <>
          {t.appPasswords.lead}
          {passwords.length > 0 && ` ${t.appPasswords.used(passwords.length, maxPasswords)}`}
        </>
      }
      title={t.appPasswords.title}
    >
      <LoadedList
        empty={
          <EmptyState
            action={create}
            icon={KeyRound}
            text={t.appPasswords.noneText}
            title={t.appPasswords.none}
          />
        }
        itemsOf={({ passwords }) => passwords}
        label={t.appPasswords.title}
        query={list}
        textOf={({ name }) => name}
      >
        {(one) => <AppPasswordRow key={one.name} value={one} />}
      </LoadedList>
      {created && <CreatedDialog created={created} onClose={() => setCreated(undefined)} />}
    </Section>
  )
}

interface CreatedDialogProps {
  readonly created: CreatedPassword
  onClose(): void
}

/** Shows a new app password once. */
function CreatedDialog({ created: { name, password }, onClose }: CreatedDialogProps) {
  return (
    <Dialog dismissible={false} onClose={onClose} title={t.appPasswords.createdTitle(name)}>
      <Secret name={t.appPasswords.value} onSaved={onClose} value={password} />
    </Dialog>
  )
}

function AppPasswordRow({ value }: { readonly value: AppPassword }) {
  const { name, createdAt, lastUsedAt, privileged, limit = 'none', uses = [] } = value
  const access = isLimit(limit) ? limit : 'none'
  const title = useSought<HTMLSpanElement>(name)
  return (
    <Row
      action={
        <DialogButton
          aria-label={t.appPasswords.revokeLabel(name)}
          dialog={(close) => <RevokeDialog name={name} onClose={close} />}
          size="s"
        >
          {t.appPasswords.revoke}
        </DialogButton>
      }
      as="li"
      detail={
        <>
          {t.ui.created} <RelativeTime at={createdAt} />
          {' · '}
          <Since at={lastUsedAt} never={t.appPasswords.never} text={t.ui.lastUsed} />
          <div>{t.apps.may(privileged ? t.appPasswords.privilegedWords : t.appPasswords.words[access])}</div>
        </>
      }
      more={<Uses uses={uses} />}
      title={
        <>
          <span ref={title} tabIndex={-1}>
            {name}
          </span>{' '}
          {privileged && <Badge variant="warn">{t.appPasswords.privileged}</Badge>}
          {access !== 'none' && <Badge>{t.appPasswords.limits[access]}</Badge>}
        </>
      }
    />
  )
}

function RevokeDialog({ name, onClose }: { readonly name: string; onClose(): void }) {
  const revoke = useDialogAction(revokeAppPassword, {
    invalidates: [listAppPasswords, listSessions],
    input: () => ({ name }),
    done: t.appPasswords.revoked(name),
    onClose,
  })
  return (
    <ConfirmDialog {...revoke} action={t.appPasswords.revoke} title={t.appPasswords.revokeTitle(name)}>
      {t.appPasswords.revokeText}
    </ConfirmDialog>
  )
}

type Limit = keyof typeof t.appPasswords.limits

function isLimit(value: string): value is Limit {
  return value in t.appPasswords.limits
}

type CreatedPassword = Body<typeof com.core.server.createAppPassword.main>

interface CreateDialogProps {
  /** Names that are already used. */
  readonly usedNames: readonly string[]
  onCreated(created: CreatedPassword): void
  onClose(): void
}

function CreateDialog({ usedNames, onCreated, onClose }: CreateDialogProps) {
  const [privileged, setPrivileged] = useState(false)
  const [limit, setLimit] = useState<Limit>('none')
  const isLimited = limit !== 'none'
  const create = useDialogAction(com.core.server.createAppPassword, {
    invalidates: [listAppPasswords],
    input: (field) => ({ name: field('name'), ...(isLimited ? { limit } : { privileged }) }),
    onDone: onCreated,
    onClose,
  })
  return (
    <FormDialog {...create} action={t.ui.create} title={t.appPasswords.create}>
      <Field
        autoComplete="off"
        defaultValue={t.appPasswords.suggestions.find((one) => !usedNames.includes(one))}
        hint={t.appPasswords.nameHint}
        label={t.ui.name}
        maxLength={64}
        name="name"
        onFocus={(event) => event.target.select()}
        required
      />
      <SelectField
        label={t.appPasswords.limit}
        onChange={setLimit}
        options={t.appPasswords.limits}
        value={limit}
      />
      {!isLimited && (
        <Switch
          checked={privileged}
          hint={t.appPasswords.privilegedHint}
          label={t.appPasswords.privileged}
          onChange={setPrivileged}
        />
      )}
    </FormDialog>
  )
}
