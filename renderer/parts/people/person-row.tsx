import { Link } from 'wouter'
import { useFollowing } from '../../api/follows.ts'
import { nameOf } from '../../api/names.ts'
import { useSession } from '../../api/sessions.ts'
import type { ProfileView } from '../../api/views.ts'
import { t } from '../../strings/en.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { Row } from '../../ui/page.tsx'
import { Address, PersonName } from '../../ui/person.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { personPath } from '../posts/paths.ts'
import styles from './person-row.module.css'

type ListedPerson = Pick<
  ProfileView,
  'did' | 'handle' | 'displayName' | 'description' | 'avatar' | 'createdAt' | 'viewer'
>

/** A person in a list, with a button to follow. */
export function PersonRow({ person }: { readonly person: ListedPerson }) {
  const session = useSession()
  const { did, handle, avatar, description } = person
  return (
    <Row
      action={did !== session.did && <FollowButton isNamed person={person} />}
      as="li"
      detail={
        <>
          <Address of={person} />
          {description && (
            <p className={styles.description} dir="auto">
              {description}
            </p>
          )}
        </>
      }
      icon={<Avatar handle={handle} picture={avatar} />}
      title={
        <Link className={styles.name} href={personPath(did)}>
          <PersonName of={person} />
        </Link>
      }
    />
  )
}

interface FollowButtonProps {
  readonly person: ListedPerson
  /** For lists: its accessible name has the name of the person. */
  readonly isNamed?: boolean
}

/** Follows a person, or ends that. */
export function FollowButton({ person, isNamed = false }: FollowButtonProps) {
  const { did, viewer } = person
  const name = nameOf(person)
  const follow = useFollowing({
    onSuccess: (_, { following }) =>
      toast(following === undefined ? t.people.followed(name) : t.people.unfollowed(name)),
    onError: toastError,
  })
  const action = viewer?.following ? t.people.unfollow : t.ui.follow
  return (
    <Button
      aria-label={isNamed ? t.people.actionOn(action, name) : undefined}
      busy={follow.isPending}
      onClick={() => follow.mutate({ subject: did, following: viewer?.following })}
      variant={viewer?.following ? 'plain' : 'primary'}
    >
      {action}
    </Button>
  )
}
