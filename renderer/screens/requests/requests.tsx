import { ListFilter, ScanSearch } from 'lucide-react'
import { useState } from 'react'
import { errorName } from '../../api/call-errors.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { ListBar } from '../../ui/list.tsx'
import { Page, Panel, Row, Stack } from '../../ui/page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { type Filter, matches, noFilter } from './filter.ts'
import { Filters } from './filters.tsx'
import type { InspectedRequest } from './inspected-request.ts'
import { RequestList } from './request-list.tsx'
import { listRequests, setInspector, useRequests } from './use-requests.ts'

/** The requests to the server, as they arrive. */
export function RequestsScreen() {
  const [isPaused, setPaused] = useState(false)
  const query = useRequests(isPaused)
  const { data } = query
  const error = errorName(query.error) === 'Forbidden' ? t.requests.notOwner : query.error
  return (
    <Page lead={t.requests.lead} title={t.nav.requests} wide>
      {data === undefined && !query.isError && <Skeleton />}
      {query.isError && <ErrorState error={error} onRetry={() => void query.refetch()} />}
      {data && <Recording isOn={data.on} until={data.until} />}
      {data && !data.on && (
        <EmptyState icon={ScanSearch} text={t.requests.offText} title={t.requests.offTitle} />
      )}
      {data?.on && <Recorded isPaused={isPaused} requests={data.requests} setPaused={setPaused} />}
    </Page>
  )
}

/** The switch, and what it means. */
function Recording({ isOn, until }: { readonly isOn: boolean; readonly until: string | undefined }) {
  const turn = useProcedure(setInspector, [listRequests], { onError: toastError })
  const staysOn = isOn && until === undefined
  return (
    <Panel>
      <Row
        action={
          !staysOn && (
            <Switch
              checked={turn.isPending ? turn.variables.on === true : isOn}
              disabled={turn.isPending}
              label={t.requests.switch}
              labelHidden
              onChange={(on) => turn.mutate({ on })}
            />
          )
        }
        detail={staysOn ? t.requests.always : until ? t.requests.until(until) : t.requests.off}
        title={t.requests.switch}
      />
    </Panel>
  )
}

interface RecordedProps {
  readonly requests: readonly InspectedRequest[]
  readonly isPaused: boolean
  setPaused(isPaused: boolean): void
}

/** The list with its filters; the newest request is first. */
function Recorded({ requests, isPaused, setPaused }: RecordedProps) {
  const [filter, setFilter] = useState<Filter>(noFilter)
  const clear = useProcedure(setInspector, [listRequests], {
    onSuccess: () => toast(t.requests.cleared),
    onError: toastError,
  })
  const shown = requests.filter((request) => matches(request, filter)).toReversed()
  const isFiltered = JSON.stringify(filter) !== JSON.stringify(noFilter)
  return (
    <Stack>
      <Filters filter={filter} onChange={setFilter} requests={requests} />
      <ListBar
        text={
          <>
            {t.requests.shown(shown.length)} <span role="status">{isPaused && t.requests.paused}</span>
          </>
        }
      >
        <div className="buttons">
          <Button onClick={() => setPaused(!isPaused)} size="s">
            {isPaused ? t.requests.resume : t.requests.pause}
          </Button>
          <Button busy={clear.isPending} onClick={() => clear.mutate({ clear: true })} size="s">
            {t.requests.clear}
          </Button>
        </div>
      </ListBar>
      {shown.length > 0 ? (
        <RequestList requests={shown} />
      ) : isFiltered ? (
        <EmptyState icon={ListFilter} text={t.requests.noMatchText} title={t.requests.noMatch} />
      ) : (
        <EmptyState icon={ScanSearch} text={t.requests.noneText} title={t.requests.none} />
      )}
    </Stack>
  )
}
