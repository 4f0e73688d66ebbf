import { Ban, Volume2, VolumeX } from 'lucide-react'
import { type Named, nameOf } from '../../api/names.ts'
import { useBlocking, useMuting } from '../../api/relations.ts'
import { t } from '../../strings/en.ts'
import { MenuItem } from '../../ui/menu.tsx'
import { toast, toastError } from '../../ui/toast.tsx'

interface Person extends Named {
  readonly viewer?:
    | { readonly muted?: boolean | undefined; readonly blocking?: string | undefined }
    | undefined
}

const icon = { 'aria-hidden': true, size: 16 } as const

/** Items of a menu that mute and block a person, or end that. Each says what it did, with Undo. */
export function RelationItems({ person }: { readonly person: Person }) {
  const { did, viewer } = person
  const name = nameOf(person)
  const mute = useMuting({
    onSuccess: (_, { muted }) =>
      toast(muted ? t.people.muted(name) : t.people.unmuted(name), () =>
        mute.mutate({ person: did, muted: !muted }),
      ),
    onError: toastError,
  })
  const block = useBlocking({
    onSuccess: (created) =>
      toast(created === undefined ? t.people.unblocked(name) : t.people.blocked(name), () =>
        block.mutate({ person: did, blocking: created }),
      ),
    onError: toastError,
  })
  const { muted = false, blocking } = viewer ?? {}
  return (
    <>
      <MenuItem
        icon={muted ? <Volume2 {...icon} /> : <VolumeX {...icon} />}
        onSelect={() => mute.mutate({ person: did, muted: !muted })}
      >
        {muted ? t.people.unmute(name) : t.people.mute(name)}
      </MenuItem>
      <MenuItem
        danger={blocking === undefined}
        icon={<Ban {...icon} />}
        onSelect={() => block.mutate({ person: did, blocking })}
      >
        {blocking === undefined ? t.people.block(name) : t.people.unblock(name)}
      </MenuItem>
    </>
  )
}
