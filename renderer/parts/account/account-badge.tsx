import { t } from '../../strings/en.ts'
import { Badge } from '../../ui/states.tsx'

/** The status of an account. */
export function AccountBadge({ status }: { readonly status: string | undefined }) {
  switch (status) {
    case undefined:
      return <Badge variant="good">{t.status.active}</Badge>
    case 'deactivated':
      return <Badge variant="warn">{t.status.deactivated}</Badge>
    case 'suspended':
      return <Badge variant="warn">{t.status.suspended}</Badge>
    case 'takendown':
      return <Badge variant="danger">{t.status.takendown}</Badge>
    default:
      return <Badge variant="warn">{t.status.inactive}</Badge>
  }
}
