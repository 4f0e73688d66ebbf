import { com } from '../../../lexicons/generated/index.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { FoldedSection, Row, RowList } from '../../ui/page.tsx'
import { serverName } from '../../ui/person.tsx'
import { Badge } from '../../ui/states.tsx'
import { RelativeTime, Since } from '../../ui/time.tsx'
import { connectionProblem } from './connection-problem.ts'
import styles from './network.module.css'
import type { Network } from './owner-sections.tsx'

type Backlinks = NonNullable<Network['backlinks']>

const variants = {
  connecting: 'plain',
  live: 'good',
  catchingUp: 'plain',
  waiting: 'warn',
  idle: 'good',
} as const
const pollMs = 5000
type State = keyof typeof variants

/** The backlink service of the settings, and its reports. */
export function BacklinksSection({ backlinks }: { readonly backlinks: Backlinks | undefined }) {
  useXrpcQuery(com.core.admin.getNetwork, {}, { pollMs: () => backlinks !== undefined && pollMs })
  return (
    <FoldedSection lead={t.backlinks.lead} title={t.backlinks.title}>
      <RowList label={t.backlinks.title}>
        {backlinks === undefined ? (
          <Row
            action={<Badge>{t.backlinks.off}</Badge>}
            as="li"
            title={desktop ? t.backlinks.offDesktop : t.backlinks.offServer}
          />
        ) : (
          <Service backlinks={backlinks} />
        )}
      </RowList>
    </FoldedSection>
  )
}

function Service({ backlinks }: { readonly backlinks: Backlinks }) {
  const { streamUrl, indexUrl, lastLinkAt, linksLastHour, droppedLastHour, lastCatchUpAt, error } = backlinks
  const state = backlinks.state in variants ? (backlinks.state as State) : 'connecting'
  const names = [streamUrl, indexUrl].flatMap((url) => serverName(url) ?? [])
  return (
    <Row
      as="li"
      detail={
        <>
          <p>
            <Since at={lastLinkAt} never={t.backlinks.noLink} text={t.backlinks.lastLink} />
            {' · '}
            {t.backlinks.links(linksLastHour)}
            {droppedLastHour > 0 && ` · ${t.backlinks.dropped(droppedLastHour)}`}
          </p>
          {lastCatchUpAt !== undefined && (
            <p>
              {t.backlinks.caughtUp} <RelativeTime at={lastCatchUpAt} />
            </p>
          )}
          {error !== undefined && <p className={styles.problem}>{connectionProblem(error)}</p>}
        </>
      }
      title={
        <>
          {[...new Set(names)].join(', ')}
          <Badge variant={variants[state]}>{t.backlinks.states[state]}</Badge>
        </>
      }
      top
    />
  )
}
