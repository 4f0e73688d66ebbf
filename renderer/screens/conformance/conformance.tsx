import { ListFilter, ScrollText } from 'lucide-react'
import { useState } from 'react'
import { errorName } from '../../api/call-errors.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { t } from '../../strings/en.ts'
import { Choices } from '../../ui/choices.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Field } from '../../ui/field.tsx'
import { ListBar } from '../../ui/list.tsx'
import { Page, Stack } from '../../ui/page.tsx'
import { EmptyState, ErrorState, Notice, Skeleton } from '../../ui/states.tsx'
import { type Check, CheckPanel, getConformance } from './check-panel.tsx'
import styles from './conformance.module.css'
import { ResultList } from './result-list.tsx'
import { chosen, countOf, type Filter, levels, markdownOf, noFilter, outcomes } from './results.ts'

const pollMs = 1000

/** The check of this server against the requirements of the protocol. */
export function ConformanceScreen() {
  const query = useXrpcQuery(getConformance, {}, { pollMs: (data) => data?.running === true && pollMs })
  const { data } = query
  const error = errorName(query.error) === 'Forbidden' ? t.conformance.notOwner : query.error
  return (
    <Page lead={t.conformance.lead} title={t.nav.conformance} wide>
      {data === undefined && !query.isError && <Skeleton />}
      {query.isError && <ErrorState error={error} onRetry={() => void query.refetch()} />}
      {data && (
        <Stack>
          <CheckPanel check={data} />
          <div role="status">{!data.running && data.endedAt && <Ended check={data} />}</div>
          <Results check={data} />
        </Stack>
      )}
    </Page>
  )
}

function isOnlyHere(url: string): boolean {
  const { hostname = '' } = URL.parse(url) ?? {}
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

/** How the check ended. */
function Ended({ check: { end, endedAt, url = '', reason = '', results } }: { readonly check: Check }) {
  if (end === 'wrongServer')
    return <Notice variant="danger">{t.conformance.ends.wrongServer(url, reason)}</Notice>
  if (end === 'unanswered') return <Notice variant="danger">{t.conformance.ends.unanswered(url)}</Notice>
  if (end === 'late') return <Notice variant="danger">{t.conformance.ends.late(url)}</Notice>
  if (end === 'stopped') return <Notice>{t.conformance.ends.stopped(endedAt ?? '')}</Notice>
  if (end !== undefined) return <Notice variant="danger">{t.conformance.ends.failed}</Notice>
  const failed = countOf(results, 'must', 'failed')
  return (
    <Notice variant={failed > 0 ? 'danger' : 'info'}>
      {failed > 0 ? t.conformance.mustFailed(failed) : t.conformance.allMet}{' '}
      {t.conformance.ended(endedAt ?? '', url)}
      {isOnlyHere(url) && ` ${t.conformance.onlyHere}`}
    </Notice>
  )
}

function Results({ check: { results, startedAt, url = '' } }: { readonly check: Check }) {
  const [filter, setFilter] = useState<Filter>(noFilter)
  if (results.length === 0)
    return startedAt === undefined ? (
      <EmptyState icon={ScrollText} text={t.conformance.noneText} title={t.conformance.noneTitle} />
    ) : null
  const shown = chosen(results, filter)
  return (
    <>
      <Counts results={results} />
      <p className="soft">{t.conformance.meaning}</p>
      <Filters filter={filter} onChange={setFilter} />
      <ListBar text={t.conformance.shown(shown.length)}>
        <CopyButton full label={t.conformance.copyMarkdown} text={markdownOf(results, url)} />
      </ListBar>
      {shown.length > 0 ? (
        <ResultList results={shown} />
      ) : (
        <EmptyState icon={ListFilter} text={t.conformance.noMatchText} title={t.conformance.noMatch} />
      )}
    </>
  )
}

function Counts({ results }: Pick<Check, 'results'>) {
  return (
    <table className={styles.counts}>
      <caption className="visually-hidden">{t.conformance.counts}</caption>
      <thead>
        <tr>
          <th scope="col">{t.conformance.level}</th>
          {outcomes.toReversed().map((outcome) => (
            <th key={outcome} scope="col">
              {t.conformance.outcome[outcome]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {levels.map((level) => (
          <tr key={level}>
            <th scope="row">{t.conformance.levels[level]}</th>
            {outcomes.toReversed().map((outcome) => (
              <td key={outcome}>{countOf(results, level, outcome)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface FiltersProps {
  readonly filter: Filter
  onChange(filter: Filter): void
}

function Filters({ filter, onChange }: FiltersProps) {
  return (
    <search aria-label={t.conformance.filters} className={styles.filters}>
      <Field
        exact
        label={t.conformance.search}
        onChange={(event) => onChange({ ...filter, text: event.target.value })}
        placeholder={t.conformance.searchPlaceholder}
        required
        type="search"
        value={filter.text}
      />
      <Choices
        label={t.conformance.outcomes}
        onChange={(outcome) => onChange({ ...filter, outcome })}
        options={t.conformance.outcome}
        value={filter.outcome}
      />
    </search>
  )
}
