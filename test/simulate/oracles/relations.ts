/** Who follows, mutes and blocks whom. */
import { block } from '../acts/drafts.ts'
import type { Person } from '../model/person.ts'

const follow = 'app.bsky.graph.follow'

interface Subject {
  readonly subject?: unknown
}

const isAbout =
  ({ did }: Person) =>
  ({ value }: { value: object }) =>
    (value as Subject).subject === did

const recordsOf = ({ records }: Person, collection: string) =>
  [...records].filter(([path]) => path.startsWith(`${collection}/`)).map(([, stored]) => stored)

export function follows(person: Person, other: Person): boolean {
  return recordsOf(person, follow).some(isAbout(other))
}

/** Whether a person sees nothing of another: it mutes the other, or one blocks the other. */
export function avoids(person: Person, other: Person): boolean {
  const isMuted = person.settings.get(`mute ${other.did}`) === true
  return (
    isMuted || recordsOf(person, block).some(isAbout(other)) || recordsOf(other, block).some(isAbout(person))
  )
}

/** Whether that may have been so at some time since the last check. */
export function mayHaveAvoided(person: Person, other: Person): boolean {
  return (
    person.settings.recent(`mute ${other.did}`).includes(true) ||
    person.history.recent(block).some(isAbout(other)) ||
    other.history.recent(block).some(isAbout(person))
  )
}
