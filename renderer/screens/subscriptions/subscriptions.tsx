import type { DidString } from '@atproto/lex-schema'
import { Radio } from 'lucide-react'
import { Link } from 'wouter'
import { app, com } from '../../../lexicons/generated/index.ts'
import { type ActivitySubscription, changeSubscription } from '../../api/activity-subscriptions.ts'
import { useActor } from '../../api/actors.ts'
import { errorName } from '../../api/call-errors.ts'
import { type Body, callAs } from '../../api/client.ts'
import { usePages, useWork } from '../../api/hooks.ts'
import { nameOf } from '../../api/names.ts'
import { useProfile } from '../../api/views.ts'
import { NotCarriedLine } from '../../parts/network/not-carried.tsx'
import { PersonField } from '../../parts/people/person-field.tsx'
import { personPath } from '../../parts/posts/paths.ts'
import { t } from '../../strings/en.ts'
import { AddForm } from '../../ui/add-form.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { Page, Row } from '../../ui/page.tsx'
import { Address, PersonName } from '../../ui/person.tsx'
import { EmptyState, Paged } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import styles from './subscriptions.module.css'

const { listActivitySubscriptions } = app.example.notification

export function SubscriptionsScreen() {
  const list = usePages(listActivitySubscriptions, { limit: 50 }, (page) => page.subscriptions)
  return (
    <Page lead={t.subscriptions.lead} title={t.nav.subscriptions}>
      <SubscribeForm />
      <Paged
        empty={<EmptyState icon={Radio} text={t.subscriptions.noneText} title={t.subscriptions.none} />}
        label={t.nav.subscriptions}
        list={list}
        textOf={(subscription) => `${nameOf(subscription)} ${subscription.handle}`}
      >
        {(subscription) => <SubscriptionRow key={subscription.did} subscription={subscription} />}
      </Paged>
    </Page>
  )
}

/** Adds a subscription by handle or DID, of this server or another one. */
function SubscribeForm() {
  const add = useWork(
    async (did, input: string) => changeSubscription(did, await didOf(did, input), { post: true }),
    [listActivitySubscriptions],
    { onSuccess: (_, input) => toast(t.subscriptions.added(input)) },
  )
  return (
    <AddForm
      action={t.ui.subscribe}
      as={PersonField}
      busy={add.isPending}
      busyText={t.subscriptions.adding}
      label={t.subscriptions.subject}
      onSubmit={(name, callbacks) => add.mutate(name.toLowerCase().replace(/^@/, ''), callbacks)}
      pattern={String.raw`\s*(did:[a-z]+:.+|@?[^\s@.]+(\.[^\s@.]+)+)\s*`}
      placeholder={t.subscriptions.subjectExample}
      problem={errorName(add.error) === 'HandleNotFound' ? t.subscriptions.notFound : add.error}
      title={t.subscriptions.subjectInvalid}
    />
  )
}

async function didOf(account: string, name: string): Promise<DidString> {
  if (name.startsWith('did:')) return name as DidString
  const handle = name as `${string}.${string}`
  return (await callAs(account, com.core.identity.resolveHandle, { params: { handle } })).did
}

type Subscription = Body<typeof listActivitySubscriptions.main>['subscriptions'][number]

interface Change {
  readonly changed: Partial<ActivitySubscription>
  /** The subscription as shown. */
  readonly known: ActivitySubscription
}

/** One subscription. Turning off posts and replies removes it, with undo. */
function SubscriptionRow({ subscription }: { readonly subscription: Subscription }) {
  const { did, handle, activitySubscription: current } = subscription
  const name = nameOf(subscription)
  const { data: profile } = useProfile(did)
  const { data: elsewhere } = useActor(subscription.createdAt === undefined ? did : undefined)
  const put = useWork(
    (account, { changed, known }: Change) => changeSubscription(account, did, changed, known),
    [listActivitySubscriptions],
    {
      scope: { id: `subscription ${did}` },
      onSuccess: (now) => {
        if (!now.activitySubscription) toast(t.subscriptions.removed(name), () => change(current))
      },
      onError: toastError,
    },
  )
  // Optimistic: shows the requested state, with earlier changes that are under way.
  const shown = put.isPending ? { ...put.variables.known, ...put.variables.changed } : current
  const change = (changed: Partial<ActivitySubscription>) => put.mutate({ changed, known: shown })
  return (
    <Row
      action={
        <div className={styles.controls}>
          <Switch checked={shown.post} label={t.subscriptions.posts} onChange={(post) => change({ post })} />
          <Switch
            checked={shown.reply}
            label={t.subscriptions.replies}
            onChange={(reply) => change({ reply })}
          />
          <Button
            aria-label={t.ui.removeNamed(name)}
            onClick={() => change({ post: false, reply: false })}
            size="s"
          >
            {t.ui.remove}
          </Button>
        </div>
      }
      as="li"
      detail={
        <>
          <Address of={subscription} />
          {elsewhere?.isLocal === false && <NotCarriedLine host={elsewhere.host} />}
        </>
      }
      icon={<Avatar handle={handle} picture={profile?.avatar} />}
      title={
        <Link className={styles.name} href={personPath(did)}>
          <PersonName of={subscription} />
        </Link>
      }
    />
  )
}
