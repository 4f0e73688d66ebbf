import { Link, useLocation } from 'wouter'
import { com } from '../../../lexicons/generated/index.ts'
import { useIsOwner } from '../../api/account.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { Banner } from '../../ui/banner.tsx'
import { Section } from '../../ui/page.tsx'
import { Loaded, Notice } from '../../ui/states.tsx'
import { RelativeTime, Since } from '../../ui/time.tsx'
import styles from '../replicas/replicas.module.css'

/** How often the server is asked, in milliseconds. */
const pollMs = 60_000

/** The screen that shows the section. */
const screen = '/backups'

function useDataCheck() {
  return useXrpcQuery(com.core.admin.getDataCheck, {}, { pollMs: () => pollMs })
}

/** When all data was last verified, and whether damage was found. Shown to the owner only. */
export function DataCheckSection() {
  return useIsOwner() && <OfOwner />
}

function OfOwner() {
  return (
    <Section lead={t.dataCheck.lead} title={t.dataCheck.title}>
      <Loaded query={useDataCheck()} rows={1}>
        {({ verifiedAt, damagedPages, percent, endsAt }) =>
          damagedPages === 0 ? (
            <p className={styles.hint}>
              <Since at={verifiedAt} never={t.dataCheck.never} text={t.dataCheck.verified} />
              {verifiedAt === undefined && (
                <>
                  {' '}
                  {t.dataCheck.progress(percent)} <RelativeTime at={endsAt} />.
                </>
              )}
            </p>
          ) : (
            <Notice variant="danger">
              {t.dataCheck.damaged(damagedPages)} {desktop ? t.dataCheck.remedy : t.dataCheck.remedyElsewhere}{' '}
              <Since at={verifiedAt} never="" text={t.dataCheck.lastIntact} />
            </Notice>
          )
        }
      </Loaded>
    </Section>
  )
}

/** Shown to the owner while stored data is damaged, except beside the section. */
export function DamageBanner() {
  const { data } = useDataCheck()
  const [path] = useLocation()
  if (!data?.damagedPages || path === screen) return null
  return (
    <Banner action={<Link href={screen}>{t.dataCheck.show}</Link>} variant="danger">
      {t.dataCheck.damaged(data.damagedPages)}
    </Banner>
  )
}
