import { com } from '../../../lexicons/generated/index.ts'
import type { Body } from '../../api/client.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Panel, Row } from '../../ui/page.tsx'
import { toastError } from '../../ui/toast.tsx'

export const { getConformance, setConformance } = com.core.admin

export type Check = Body<typeof getConformance.main>

/** What the check does, its progress, and the button that starts or stops it. */
export function CheckPanel({ check }: { readonly check: Check }) {
  const { running, startedAt } = check
  const turn = useProcedure(setConformance, [getConformance], { onError: toastError })
  return (
    <Panel>
      <Row
        action={
          <Button
            busy={turn.isPending}
            onClick={() => turn.mutate({ running: !running })}
            variant={running ? 'plain' : 'primary'}
          >
            {running
              ? t.conformance.stop
              : startedAt === undefined
                ? t.conformance.start
                : t.conformance.again}
          </Button>
        }
        detail={running ? <Progress check={check} /> : t.conformance.detail}
        title={t.conformance.title}
        top
      />
    </Panel>
  )
}

function Progress({ check: { total, results } }: { readonly check: Check }) {
  if (total === 0) return t.conformance.starting
  const text = t.conformance.running(results.length, total)
  return (
    <>
      <p>{text}</p>
      <Meter label={t.conformance.progress} max={total} title={text} value={results.length} />
    </>
  )
}
