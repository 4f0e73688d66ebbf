import { Link, useLocation } from 'wouter'
import { copiesScreen, placeName, useCopies } from '../../api/copies.ts'
import { t } from '../../strings/en.ts'
import { Banner } from '../../ui/banner.tsx'
import { useNow } from '../../ui/time.tsx'

const dayMs = 24 * 60 * 60_000

/** Shown to the owner while another computer continues the server, or after a day without copies to a place. */
export function ReplicasBanner() {
  const { data } = useCopies()
  const now = useNow()
  const [path] = useLocation()
  const troubled = data?.places.filter(({ problem }) => problem) ?? []
  const isElsewhere = troubled.some(({ problem }) => problem?.kind === 'elsewhere')
  const late = troubled.find(({ problem }) => now - Date.parse(problem?.since ?? '') >= dayMs)
  if (path === copiesScreen || (!isElsewhere && !late)) return null
  return (
    <Banner action={<Link href={copiesScreen}>{t.copies.show}</Link>} variant="danger">
      {late && !isElsewhere ? (
        t.copies.banner(placeName(late.url), late.problem?.message ?? '')
      ) : (
        <>
          <strong>{t.copies.elsewhere}</strong> {t.copies.elsewhereText}
        </>
      )}
    </Banner>
  )
}
