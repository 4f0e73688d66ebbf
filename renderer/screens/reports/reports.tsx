import { Flag } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { parseAtUri } from '../../api/at-uri.ts'
import { errorName } from '../../api/call-errors.ts'
import type { Body } from '../../api/client.ts'
import { usePages, useProcedure } from '../../api/hooks.ts'
import { personPath, postPath } from '../../parts/posts/paths.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Choices } from '../../ui/choices.tsx'
import { Page, Row } from '../../ui/page.tsx'
import { Badge, EmptyState, Paged } from '../../ui/states.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { reasonKind } from './reasons.ts'

const { listReports, closeReport } = com.core.admin
const { strongRef } = com.core.repo
const { repoRef } = com.core.admin.defs

type Report = Body<typeof listReports.main>['reports'][number]

const pageSize = 50
const options = { open: t.reports.open, closed: t.reports.closed }

/** What accounts reported to the owner of the server. */
export function ReportsScreen() {
  const [shown, setShown] = useState<keyof typeof options>('open')
  const params = { closed: shown === 'closed', limit: pageSize }
  const list = usePages(listReports, params, (page) => page.reports)
  const error = errorName(list.error) === 'Forbidden' ? t.reports.notOwner : list.error
  return (
    <Page lead={t.reports.lead} title={t.nav.reports}>
      <Choices label={t.reports.shown} onChange={setShown} options={options} value={shown} />
      <Paged
        empty={<EmptyState icon={Flag} text={t.reports.noneText} title={t.reports.none[shown]} />}
        label={t.nav.reports}
        list={{ ...list, error }}
      >
        {(report) => <ReportRow key={report.id} report={report} />}
      </Paged>
    </Page>
  )
}

function ReportRow({ report }: { readonly report: Report }) {
  const { reasonType, reason, reporterHandle, createdAt, resolution } = report
  return (
    <Row
      action={resolution === undefined && <CloseButtons report={report} />}
      as="li"
      detail={
        <>
          {reason && <p>{reason}</p>}
          {t.reports.by(reporterHandle)} · <RelativeTime at={createdAt} />
        </>
      }
      icon={<Flag aria-hidden size={20} strokeWidth={1.75} />}
      title={
        <>
          {t.reports.kinds[reasonKind(reasonType)]}: <Subject report={report} />{' '}
          {resolution !== undefined && (
            <Badge>{resolution === 'resolved' ? t.reports.resolved : t.reports.dismissed}</Badge>
          )}
        </>
      }
    />
  )
}

/** A link to the account or post; another record only has a name. */
function Subject({ report: { subject, subjectHandle } }: { readonly report: Report }) {
  if (strongRef.$isTypeOf(subject)) {
    const { repo, collection } = parseAtUri(subject.uri)
    const author = subjectHandle ?? repo
    if (collection === 'app.example.feed.post')
      return <Link href={postPath(subject.uri)}>{t.reports.post(author)}</Link>
    return <>{t.reports.record(collection, author)}</>
  }
  if (!repoRef.$isTypeOf(subject)) return null
  return <Link href={personPath(subject.did)}>{subjectHandle ?? subject.did}</Link>
}

function CloseButtons({ report }: { readonly report: Report }) {
  const close = useProcedure(closeReport, [listReports], {
    onSuccess: (_, { resolution }) =>
      toast(resolution === 'resolved' ? t.reports.resolvedToast : t.reports.dismissedToast),
    onError: toastError,
  })
  const { id, reporterHandle } = report
  const button = (resolution: 'resolved' | 'dismissed', name: string) => (
    <Button
      aria-label={t.reports.buttonLabel(name, reporterHandle)}
      busy={close.isPending && close.variables.resolution === resolution}
      onClick={() => close.mutate({ id, resolution })}
      size="s"
    >
      {name}
    </Button>
  )
  return (
    <>
      {button('dismissed', t.reports.dismiss)}
      {button('resolved', t.reports.resolve)}
    </>
  )
}
