import { Link, useLocation } from 'wouter'
import { copiesScreen, placeName, useCopies } from '../../api/copies.ts'
import { t } from '../../strings/en.ts'
import { formatMoment } from '../../strings/format.ts'
import { Banner } from '../../ui/banner.tsx'
import { useNow } from '../../ui/time.tsx'

const dayMs = 24 * 60 * 60_000

/** Shown to the owner while another computer continues the server, or after a day without copies to a place. */
export function ReplicasBanner() {
  const { data } = useCopies()
  const now = useNow()
  const [path] = useLocation()
  const troubled = data?.places.filter(({ problem }) => problem) ?? []
  const elsewhere = troubled.find(({ problem }) => problem?.kind === 'elsewhere')?.problem
  const late = troubled.find(({ problem }) => now - Date.parse(problem?.since ?? '') >= dayMs)
  if (path === copiesScreen || (!elsewhere && !late)) return null
  return (
    <Banner action={<Link href={copiesScreen}>{t.copies.show}</Link>} variant="danger">
      {late && !elsewhere ? (
        t.copies.banner(placeName(late.url), late.problem?.message ?? '')
      ) : (
        <>
          <strong>{t.copies.elsewhere(elsewhere?.since && formatMoment(elsewhere.since, now))}</strong>{' '}
          {t.copies.elsewhereText}
        </>
      )}
    </Banner>
  )
}
