import { com } from '../../../lexicons/generated/index.ts'
import { useProcedure } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { FoldedSection, Row, RowList } from '../../ui/page.tsx'
import { Badge } from '../../ui/states.tsx'
import { Since } from '../../ui/time.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import type { Network } from './owner-sections.tsx'

type Relay = Network['relays'][number]

const variants = { ok: 'good', failed: 'danger', waiting: 'plain' } as const

/** The relays of the settings, and their last contact. */
export function RelaysSection({ relays }: { readonly relays: readonly Relay[] }) {
  const ask = useProcedure(com.core.admin.requestCrawls, [com.core.admin.getNetwork.main], {
    onSuccess: ({ relays: asked }) =>
      toast(
        asked.every((one) => one.lastError === undefined) ? t.network.relaysAsked : t.network.relaysRefused,
      ),
    onError: toastError,
  })
  return (
    <FoldedSection
      action={
        <Button busy={ask.isPending} onClick={() => ask.mutate(undefined)}>
          {t.network.askRelays}
        </Button>
      }
      lead={t.network.relaysLead}
      title={t.network.relays}
    >
      <RowList label={t.network.relays}>
        {relays.map((relay) => {
          const state = stateOf(relay)
          return (
            <Row
              action={<Badge variant={variants[state]}>{t.network.relayStates[state]}</Badge>}
              as="li"
              detail={<Contact relay={relay} />}
              key={relay.url}
              title={relay.url}
            />
          )
        })}
      </RowList>
    </FoldedSection>
  )
}

function stateOf({ lastContactAt, lastError }: Relay): keyof typeof variants {
  if (lastError !== undefined) return 'failed'
  return lastContactAt === undefined ? 'waiting' : 'ok'
}

function Contact({ relay: { lastContactAt, lastError } }: { readonly relay: Relay }) {
  return (
    <>
      <p>
        <Since at={lastContactAt} never={t.network.relayNever} text={t.network.relayContact} />
      </p>
      {lastError !== undefined && <p>{lastError}</p>}
    </>
  )
}
