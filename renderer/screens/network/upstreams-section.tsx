import { Server } from 'lucide-react'
import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { usePolledUpstreams } from '../../api/upstreams.ts'
import { t } from '../../strings/en.ts'
import { AddForm } from '../../ui/add-form.tsx'
import { RowList, Section } from '../../ui/page.tsx'
import { serverName } from '../../ui/person.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { FollowedElsewhere } from './followed-elsewhere.tsx'
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
        <Loaded query={query}>
          {({ upstreams }) =>
            upstreams.length === 0 ? (
              <EmptyState icon={Server} text={t.upstreams.noneText} title={t.upstreams.none} />
            ) : (
              <RowList label={t.upstreams.title}>
                {upstreams.map((upstream) => (
                  <UpstreamRow
                    key={upstream.url}
                    onRestore={() => add.mutate({ url: upstream.url })}
                    upstream={upstream}
                  />
                ))}
              </RowList>
            )
          }
        </Loaded>
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
      action={t.upstreams.add}
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
