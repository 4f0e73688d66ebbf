import { useQuery } from '@tanstack/react-query'
import { com } from '../../../lexicons/generated/index.ts'
import { callForAll } from '../../api/client.ts'
import { useDesktopCall } from '../../api/desktop.ts'
import { useMaybeSession, useSessions } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { SelectField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { PanelForm } from '../../ui/panel-form.tsx'
import { toast, toastError } from '../../ui/toast.tsx'

/** Exports the repository of an account: of any account for the owner, else of signed-in accounts. */
export function RepositorySection() {
  const choices = useChoices()
  const save = useDesktopCall('repository.export', [], {
    onSuccess: (path) => path !== undefined && toast(t.backups.exported(path)),
    onError: toastError,
  })
  if (choices.length === 0) return null
  return (
    <Section lead={t.backups.repositoryLead} title={t.backups.repository}>
      <PanelForm
        action={t.backups.repositoryExport}
        busy={save.isPending}
        error={null}
        onSubmit={(field) => save.mutate([field('did')])}
        variant="plain"
      >
        <SelectField
          label={t.backups.repositoryAccount}
          name="did"
          options={Object.fromEntries(choices.map(({ did, handle }) => [did, handle]))}
        />
      </PanelForm>
    </Section>
  )
}

/** The largest page of `listAccounts`. */
const pageSize = 100

function useChoices(): readonly { readonly did: string; readonly handle: string }[] {
  const sessions = useSessions()
  const did = useMaybeSession()?.did ?? ''
  const { data } = useQuery({
    queryKey: [did, 'accounts to export'],
    enabled: did !== '',
    retry: false,
    queryFn: ({ signal }) =>
      callForAll(did, com.core.admin.listAccounts, { limit: pageSize }, (page) => page.accounts, signal),
  })
  return data ?? sessions
}
