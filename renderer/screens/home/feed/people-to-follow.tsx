import { app } from '../../../../lexicons/generated/index.ts'
import { useIsOwner } from '../../../api/account.ts'
import { useXrpcQuery } from '../../../api/hooks.ts'
import { PersonRow } from '../../../parts/people/person-row.tsx'
import { t } from '../../../strings/en.ts'
import { LinkButton } from '../../../ui/links.tsx'
import { RowList } from '../../../ui/page.tsx'
import styles from './home-feed.module.css'

const { getSuggestions } = app.example.actor

const shownPeople = 5

/** Accounts of this server that the account does not follow, and the way to friends on other servers. */
export function PeopleToFollow() {
  const { data } = useXrpcQuery(getSuggestions, { limit: shownPeople })
  const isOwner = useIsOwner()
  const people = data?.actors
  if (!people) return null
  return (
    <section className={styles.people}>
      <h3>{t.feed.toFollow}</h3>
      {people.length > 0 && (
        <RowList label={t.feed.toFollow}>
          {people.map((person) => (
            <PersonRow key={person.did} person={person} />
          ))}
        </RowList>
      )}
      {people.length === 0 && <p className="soft">{t.feed.noOneHere}</p>}
      <div className="buttons">
        {isOwner && <LinkButton href="/network">{t.feed.connectFriends}</LinkButton>}
        <LinkButton href="/search">{t.feed.searchPeople}</LinkButton>
      </div>
    </section>
  )
}
