import { Server } from 'lucide-react'
import { app, com } from '../../../lexicons/generated/index.ts'
import { useActors } from '../../api/actors.ts'
import { useProcedure, useXrpcQuery } from '../../api/hooks.ts'
import { nameOf } from '../../api/names.ts'
import { useSession } from '../../api/sessions.ts'
import { type Upstream, usePolledUpstreams } from '../../api/upstreams.ts'
import { t } from '../../strings/en.ts'
import { AddForm } from '../../ui/add-form.tsx'
import { Button } from '../../ui/button.tsx'
import { Row, RowList, Section } from '../../ui/page.tsx'
import { serverName } from '../../ui/person.tsx'
import { EmptyState, LoadedList } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { UpstreamRow } from './upstream-row.tsx'

const { addUpstream, getNetwork, listUpstreams } = com.core.admin

/** The servers whose public streams this one reads, and their states. */
export function UpstreamsSection() {
  const query = usePolledUpstreams()
  const add = useAddUpstream(toastError)
  return (
    <>
      <Section lead={t.upstreams.lead} title={t.upstreams.title}>
        <AddUpstream />
        <LoadedList
          empty={<EmptyState icon={Server} text={t.upstreams.noneText} title={t.upstreams.none} />}
          itemsOf={({ upstreams }) => upstreams}
          label={t.upstreams.title}
          query={query}
          textOf={({ url }) => url}
        >
          {(upstream) => (
            <UpstreamRow
              key={upstream.url}
              onRestore={() => add.mutate({ url: upstream.url })}
              upstream={upstream}
            />
          )}
        </LoadedList>
      </Section>
      {query.data && <FollowedElsewhere add={add} upstreams={query.data.upstreams} />}
    </>
  )
}

export type AddUpstreamCall = ReturnType<typeof useAddUpstream>

/** Adds a server. The server connects to it before it responds, which takes some seconds. */
function useAddUpstream(onError?: (error: Error) => void) {
  return useProcedure(addUpstream, [listUpstreams, getNetwork], {
    onSuccess: ({ url }) => toast(t.upstreams.added(nameOfServer(url))),
    ...(onError && { onError }),
  })
}

function AddUpstream() {
  const add = useAddUpstream()
  return (
    <AddForm
      action={t.ui.follow}
      busy={add.isPending}
      busyText={t.upstreams.adding}
      hint={t.upstreams.addressHint}
      label={t.upstreams.address}
      mono
      onSubmit={(url, callbacks) => add.mutate({ url }, callbacks)}
      placeholder={t.upstreams.addressExample}
      problem={add.error}
    />
  )
}

/** `host:port` of a server. */
function nameOfServer(url: string): string {
  return serverName(url) ?? url
}

/** At most this many follows are looked at, newest first. */
const maxFollows = 100

interface FollowedElsewhereProps {
  readonly upstreams: readonly Upstream[]
  readonly add: AddUpstreamCall
}

/** Servers of people that this account follows. This server does not follow those servers yet. */
function FollowedElsewhere({ upstreams, add }: FollowedElsewhereProps) {
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
                {t.ui.follow}
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
