import { app } from '../../../lexicons/generated/index.ts'
import { useActors } from '../../api/actors.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { nameOf } from '../../api/names.ts'
import { useSession } from '../../api/sessions.ts'
import type { Upstream } from '../../api/upstreams.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Row, RowList, Section } from '../../ui/page.tsx'
import { serverName } from '../../ui/person.tsx'
import type { AddUpstreamCall } from './upstreams-section.tsx'

/** At most this many follows are looked at, newest first. */
const maxFollows = 100

interface FollowedElsewhereProps {
  readonly upstreams: readonly Upstream[]
  readonly add: AddUpstreamCall
}

/** Servers of people whom this account follows, and whose servers this one does not follow. */
export function FollowedElsewhere({ upstreams, add }: FollowedElsewhereProps) {
  const { did } = useSession()
  const { data } = useXrpcQuery(app.example.graph.getFollows, { actor: did as never, limit: maxFollows })
  const elsewhere = (data?.follows ?? []).filter(({ createdAt }) => createdAt === undefined)
  const actors = useActors(elsewhere.map((one) => one.did)) ?? []
  const known = new Set(upstreams.map(({ url }) => url))
  const byHost = Map.groupBy(
    actors.filter(({ isLocal, host }) => !isLocal && host !== undefined && !known.has(host)),
    ({ host = '' }) => host,
  )
  if (byHost.size === 0) return null
  const names = new Map(elsewhere.map((one) => [one.did as string, nameOf(one)]))
  return (
    <Section lead={t.upstreams.peopleLead} title={t.upstreams.people}>
      <RowList label={t.upstreams.people}>
        {[...byHost].map(([host, people]) => (
          <Row
            action={
              <Button
                aria-label={t.upstreams.addLabel(serverName(host) ?? host)}
                busy={add.isPending && add.variables.url === host}
                onClick={() => add.mutate({ url: host })}
                size="s"
              >
                {t.upstreams.add}
              </Button>
            }
            as="li"
            detail={people.map((one) => names.get(one.did)).join(', ')}
            key={host}
            title={serverName(host) ?? host}
          />
        ))}
      </RowList>
    </Section>
  )
}
