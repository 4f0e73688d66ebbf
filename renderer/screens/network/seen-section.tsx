import { com } from '../../../lexicons/generated/index.ts'
import { type Body, callAs } from '../../api/client.ts'
import { useProcedure, useWork } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { formatList } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Panel, Row, RowList, Section } from '../../ui/page.tsx'
import { Badge, FormError, Notice } from '../../ui/states.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import styles from './network.module.css'
import type { Network } from './owner-sections.tsx'

type Report = Body<typeof com.core.admin.checkRelays.main>
type Relay = Report['relays'][number]
type Account = Relay['accounts'][number]
type Variant = keyof typeof t.seen.badges

/** How much of this server relays and the app view have indexed, and how to fix gaps. */
export function SeenSection({ events }: { readonly events: Network['events'] }) {
  const run = useProcedure(com.core.admin.checkRelays)
  const report = run.data
  return (
    <Section
      action={
        <Button busy={run.isPending} onClick={() => run.mutate(undefined)}>
          {report ? t.seen.lookAgain : t.seen.look}
        </Button>
      }
      lead={t.seen.lead}
      title={t.seen.title}
    >
      {events && <EventBudget events={events} />}
      <p role="status">{run.isPending && t.seen.looking}</p>
      <FormError error={run.error} />
      {report && report.relays.length === 0 && <Notice variant="warn">{t.seen.noRelays}</Notice>}
      {report && (report.relays.length > 0 || report.appView) && (
        <RowList label={t.seen.list}>
          {report.relays.map((relay) => (
            <RelayRow key={relay.url} relay={relay} />
          ))}
          {report.appView && (
            <Row
              action={
                <Badge variant={variantOf(report.appView.accounts)}>{badgeOf(report.appView.accounts)}</Badge>
              }
              as="li"
              detail={<Accounts accounts={report.appView.accounts} />}
              title={`${t.seen.appView}: ${new URL(report.appView.url).host}`}
              top
            />
          )}
        </RowList>
      )}
    </Section>
  )
}

/** How much of what relays accept was used. */
function EventBudget({ events }: { readonly events: NonNullable<Network['events']> }) {
  const { lastHour, hourLimit, lastDay, dayLimit, isHeld } = events
  const rows = [
    { title: t.seen.lastHour, used: lastHour, limit: hourLimit },
    { title: t.seen.lastDay, used: lastDay, limit: dayLimit },
  ]
  return (
    <>
      {isHeld && <Notice variant="warn">{t.seen.held}</Notice>}
      <Panel>
        {rows.map(({ title, used, limit }) => {
          const text = t.seen.used(used, limit)
          return (
            <Row
              detail={
                <>
                  <Meter label={title} max={limit} title={text} value={used} />
                  <p>{text}</p>
                </>
              }
              key={title}
              title={title}
            />
          )
        })}
      </Panel>
    </>
  )
}

/** States in which the relay reads this server, or will go on by itself. */
const reading = ['upToDate', 'behind', 'idle', 'throttled']
/** States in which a request to read this server helps. */
const askable = ['unknownHost', 'offline', 'idle', 'behind']

function RelayRow({ relay }: { readonly relay: Relay }) {
  const { url, state, eventsBehind = 0, readUntil, accounts } = relay
  const isReading = reading.includes(state)
  const variant = !isReading ? 'danger' : state === 'upToDate' ? variantOf(accounts) : 'warn'
  const text = Object.hasOwn(t.seen.relayStates, state)
    ? t.seen.relayStates[state as keyof typeof t.seen.relayStates]
    : t.seen.relayStates.unclear
  const lagging = accounts.filter((one) => ['behind', 'missing', 'inactive'].includes(one.state))
  return (
    <Row
      action={<Badge variant={variant}>{t.seen.badges[variant]}</Badge>}
      as="li"
      detail={
        <>
          <p>
            {text} {eventsBehind > 0 && t.seen.behind(eventsBehind)}{' '}
            {eventsBehind > 0 && readUntil !== undefined && (
              <>
                {t.seen.readUntil} <RelativeTime at={readUntil} />.
              </>
            )}
          </p>
          <Accounts accounts={accounts} />
          <div className={styles.buttons}>
            {askable.includes(state) && <NotifyButton />}
            {state === 'upToDate' && lagging.length > 0 && <AnnounceButton accounts={lagging} />}
          </div>
        </>
      }
      title={url}
      top
    />
  )
}

function NotifyButton() {
  const ask = useProcedure(com.core.admin.requestCrawls, [com.core.admin.getNetwork.main], {
    onSuccess: ({ relays }) =>
      toast(relays.every((one) => one.lastError === undefined) ? t.seen.notified : t.network.relaysRefused),
    onError: toastError,
  })
  return (
    <Button busy={ask.isPending} onClick={() => ask.mutate(undefined)} size="s">
      {t.seen.notify}
    </Button>
  )
}

/** A change to the same handle announces the identity again. */
function AnnounceButton({ accounts }: { readonly accounts: readonly Account[] }) {
  const send = async (owner: string) => {
    for (const { did, handle } of accounts) {
      await callAs(owner, com.core.admin.updateAccountHandle, { body: { did, handle } })
    }
  }
  const announce = useWork(send, [], {
    onSuccess: () => toast(t.seen.announced(accounts.length)),
    onError: toastError,
  })
  return (
    <Button busy={announce.isPending} onClick={() => announce.mutate(undefined)} size="s">
      {t.seen.announce}
    </Button>
  )
}

const problems = ['missing', 'behind', 'inactive', 'unknown'] as const

function Accounts({ accounts }: { readonly accounts: readonly Account[] }) {
  if (accounts.length === 0) return null
  const found = problems.flatMap((state) => {
    const names = accounts.filter((one) => one.state === state).map(nameOf)
    return names.length > 0 ? [<p key={state}>{t.seen.problems[state](formatList(names))}</p>] : []
  })
  return found.length > 0 ? found : <p>{t.seen.allSeen(accounts.length)}</p>
}

function nameOf({ handle, status }: Account): string {
  return status === undefined ? handle : `${handle} (${status})`
}

function variantOf(accounts: readonly Account[]): Variant {
  if (accounts.every(({ state }) => state === 'seen')) return 'good'
  return accounts.some(({ state }) => state === 'seen' || state === 'behind') ? 'warn' : 'danger'
}

function badgeOf(accounts: readonly Account[]): string {
  return t.seen.badges[variantOf(accounts)]
}
