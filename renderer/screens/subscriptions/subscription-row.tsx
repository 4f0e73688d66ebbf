import { Link } from 'wouter'
import { app } from '../../../lexicons/generated/index.ts'
import { useActor } from '../../api/actors.ts'
import type { Body } from '../../api/client.ts'
import { useProcedure } from '../../api/hooks.ts'
import { nameOf } from '../../api/names.ts'
import { useProfile } from '../../api/views.ts'
import { NotCarriedLine } from '../../parts/not-carried.tsx'
import { personPath } from '../../parts/paths.ts'
import { t } from '../../strings/en.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { Row } from '../../ui/page.tsx'
import { Address, PersonName } from '../../ui/person.tsx'
import { Switch } from '../../ui/switch.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import styles from './subscriptions.module.css'

const { listActivitySubscriptions, putActivitySubscription } = app.example.notification

type Subscription = Body<typeof listActivitySubscriptions.main>['subscriptions'][number]
type ActivitySubscription = Subscription['activitySubscription']

/** One subscription. Turning off posts and replies removes it, with undo. */
export function SubscriptionRow({ subscription }: { readonly subscription: Subscription }) {
  const { did, handle, activitySubscription: current } = subscription
  const name = nameOf(subscription)
  const { data: profile } = useProfile(did)
  const { data: elsewhere } = useActor(subscription.createdAt === undefined ? did : undefined)
  const put = useProcedure(putActivitySubscription, [listActivitySubscriptions], {
    scope: { id: `subscription ${did}` },
    onSuccess: (now) => {
      if (!now.activitySubscription) toast(t.subscriptions.removed(name), () => change(current))
    },
    onError: toastError,
  })
  const change = (changed: ActivitySubscription) =>
    put.mutate({ subject: did, activitySubscription: changed })
  // Optimistic: shows the requested state, which the next change also builds on.
  const shown = put.isPending ? put.variables.activitySubscription : current
  return (
    <Row
      action={
        <div className={styles.controls}>
          <Switch
            checked={shown.post}
            label={t.subscriptions.posts}
            onChange={(post) => change({ ...shown, post })}
          />
          <Switch
            checked={shown.reply}
            label={t.subscriptions.replies}
            onChange={(reply) => change({ ...shown, reply })}
          />
          <Button
            aria-label={t.subscriptions.removeLabel(name)}
            onClick={() => change({ post: false, reply: false })}
            size="s"
          >
            {t.subscriptions.remove}
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
