import { useEffect, useRef } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { useSession } from '../../api/sessions.ts'
import { type SearchKind, searchPath, wordsOfPath } from '../../parts/posts/paths.ts'
import { useStore } from '../../store.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { Choices } from '../../ui/choices.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { isWide } from '../../ui/is-wide.ts'
import { Page, Section, Stack } from '../../ui/page.tsx'
import { FoundPeople, FoundPosts } from './found.tsx'
import { recentSearches } from './recent-searches.ts'
import styles from './search.module.css'

/** Search of posts and people. The path has the words, so that the browser leads back to earlier ones. */
export function SearchScreen() {
  const { did } = useSession()
  const params = useParams<{ kind?: string; words?: string }>()
  const [, navigate] = useLocation()
  const kind: SearchKind = params.kind === 'people' ? 'people' : 'posts'
  const words = wordsOfPath(params.words ?? '')
  const field = useRef<HTMLInputElement>(null)
  const { add } = recentSearches(did)
  // After the heading has taken the focus: letters that are typed at once must not act as shortcuts.
  useEffect(() => {
    if (words === '' && isWide()) field.current?.focus()
  }, [words])
  useEffect(() => {
    if (words) add(words)
  }, [words, add])
  return (
    <Page lead={t.search.lead} title={t.nav.search}>
      <Stack>
        <Form
          busy={false}
          className={styles.form}
          key={words}
          onSubmit={(read) => {
            const entered = read('words').trim()
            if (entered) navigate(searchPath(entered.startsWith('@') ? 'people' : kind, entered))
          }}
          role="search"
        >
          <Field
            defaultValue={words}
            enterKeyHint="search"
            exact
            label={t.search.words}
            maxLength={200}
            name="words"
            placeholder={t.search.placeholder}
            ref={field}
            type="search"
            unmarked
          />
          <Button type="submit" variant="primary">
            {t.ui.search}
          </Button>
        </Form>
        {words && (
          <Choices
            label={t.search.kind}
            onChange={(chosen) => navigate(searchPath(chosen, words), { replace: true })}
            options={t.search.kinds}
            value={kind}
          />
        )}
      </Stack>
      {words === '' ? <Recent /> : kind === 'people' ? <FoundPeople q={words} /> : <FoundPosts q={words} />}
    </Page>
  )
}

function Recent() {
  const { did } = useSession()
  const recent = recentSearches(did)
  const words = useStore(recent.words)
  if (words.length === 0) return <p className="soft">{t.search.noRecent}</p>
  return (
    <Section
      action={
        <Button onClick={recent.clear} size="s">
          {t.search.clearRecent}
        </Button>
      }
      title={t.search.recent}
    >
      <ul className={styles.recent}>
        {words.map((one) => (
          <li key={one}>
            <Link href={searchPath(one.startsWith('@') ? 'people' : 'posts', one)}>
              <bdi>{one}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}
