import type { HandleString } from '@atproto/syntax'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { errorName, explain } from '../../api/call-errors.ts'
import { usePublicXrpcQuery } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { useHandleChoice } from '../../parts/account/handle-check.ts'
import { HandleField } from '../../parts/account/handle-field.tsx'
import { useDialogAction } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { Choices } from '../../ui/choices.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { Loaded } from '../../ui/states.tsx'
import { isDomain, OwnDomain } from './own-domain.tsx'

interface HandleDialogProps {
  /** Whether a directory has the identity, so that it may have a handle of any domain. */
  readonly published: boolean
  onClose(): void
}

/** Changes the handle: to a name on this server, or to a domain of the account's holder. */
export function HandleDialog({ published, onClose }: HandleDialogProps) {
  const server = usePublicXrpcQuery(com.core.server.describeServer, {})
  return (
    <Loaded query={server} rows={1}>
      {({ availableUserDomains: domains }) => (
        <HandleForm domains={domains} onClose={onClose} published={published} />
      )}
    </Loaded>
  )
}

const handleErrors = ['InvalidHandle', 'HandleNotAvailable', 'UnsupportedDomain']

function HandleForm({
  domains,
  published,
  onClose,
}: HandleDialogProps & { readonly domains: readonly string[] }) {
  const [place, setPlace] = useState<'here' | 'own'>('here')
  const choice = useHandleChoice(domains, '', place === 'here')
  const [own, setOwn] = useState('')
  const { handle: current } = useSession()
  const handle = place === 'here' ? choice.handle : own
  const update = useDialogAction(com.core.identity.updateHandle, {
    invalidates: [
      com.core.server.getSession,
      com.core.identity.listRotationKeys,
      com.core.server.listSecurityChanges,
    ],
    input: () => ({ handle: handle as HandleString }),
    done: t.identity.handleChanged(handle),
    onClose,
  })
  const concernsHandle = handleErrors.includes(errorName(update.error) ?? '')
  const serverError = concernsHandle && place === 'here' ? explain(update.error) : undefined
  return (
    <FormDialog
      {...update}
      action={t.identity.changeHandle}
      disabled={handle === current || (place === 'own' && !(published && isDomain(own)))}
      error={serverError === undefined ? update.error : undefined}
      onSubmit={(field) => {
        if (place === 'own' || !choice.check.problem) update.onSubmit(field)
      }}
      title={t.identity.handleTitle}
    >
      <p>{t.identity.handleNote}</p>
      <Choices
        label={t.identity.where}
        onChange={(next) => {
          setPlace(next)
          update.reset()
        }}
        options={{ here: t.identity.here, own: t.identity.own }}
        value={place}
      />
      {place === 'here' ? (
        <HandleField choice={choice} onType={update.reset} serverError={serverError} />
      ) : (
        <OwnDomain onChange={setOwn} published={published} value={own} />
      )}
    </FormDialog>
  )
}
