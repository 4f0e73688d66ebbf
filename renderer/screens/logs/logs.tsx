import { ArrowDown } from 'lucide-react'
import { type UIEvent, useLayoutEffect, useRef, useState } from 'react'
import { callDesktop } from '../../api/desktop.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { formatDateTime, formatTime } from '../../strings/format.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Field, SelectField } from '../../ui/field.tsx'
import { Page, Stack } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { matches, type NumberedLine, textOf, useLogLines } from './log-lines.ts'
import styles from './logs.module.css'

export function LogsScreen() {
  const query = useLogLines()
  const [minLevel, setMinLevel] = useState<keyof typeof t.logs.levels>('trace')
  const [text, setText] = useState('')
  const shown = (lines: readonly NumberedLine[] = []) =>
    lines.filter((line) => matches(line, minLevel, text.trim()))
  return (
    <Page
      action={
        <>
          <CopyButton full label={t.logs.copy} text={shown(query.data?.lines).map(textOf).join('\n')} />
          {desktop && (
            <Button onClick={() => void callDesktop('app.openFolder', 'logs')}>{t.ui.openFolder}</Button>
          )}
        </>
      }
      lead={desktop ? t.logs.lead : t.logs.leadServer}
      title={t.nav.logs}
      wide
    >
      <Stack>
        <div className={styles.filters}>
          <SelectField label={t.logs.level} onChange={setMinLevel} options={t.logs.levels} value={minLevel} />
          <Field
            autoComplete="off"
            label={t.ui.search}
            onChange={(event) => setText(event.target.value)}
            placeholder={t.logs.filterPlaceholder}
            required
            spellCheck={false}
            type="search"
            value={text}
          />
        </div>
        <Loaded query={query} rows={6}>
          {({ lines }) => (
            <Tail isEmpty={lines.length === 0} key={`${minLevel} ${text}`} lines={shown(lines)} />
          )}
        </Loaded>
      </Stack>
    </Page>
  )
}

/** Distance from the end, in pixels, that counts as scrolled to the end. */
const endTolerancePx = 24

/** Log lines. Follows the newest line unless scrolled up. */
function Tail({ lines, isEmpty }: { readonly lines: readonly NumberedLine[]; readonly isEmpty: boolean }) {
  const box = useRef<HTMLDivElement>(null)
  const [isFollowing, setFollowing] = useState(true)
  const newest = lines.at(-1)?.number
  // biome-ignore lint/correctness/useExhaustiveDependencies: at each new line
  useLayoutEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [newest, isFollowing])
  const scrolled = ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: UIEvent) =>
    setFollowing(scrollHeight - scrollTop - clientHeight < endTolerancePx)
  return (
    <div className={styles.frame}>
      <div
        aria-label={t.logs.label}
        className={styles.lines}
        onScroll={scrolled}
        ref={box}
        role="log"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
        tabIndex={0}
      >
        {lines.map((line) => (
          <Line key={line.number} line={line} />
        ))}
        {lines.length === 0 && <p className={styles.none}>{isEmpty ? t.logs.none : t.logs.noMatch}</p>}
      </div>
      {!isFollowing && (
        <div className={styles.paused}>
          <span role="status">{t.logs.paused}</span>
          <Button icon={<ArrowDown aria-hidden size={14} />} onClick={() => setFollowing(true)} size="s">
            {t.logs.newest}
          </Button>
        </div>
      )}
    </div>
  )
}

function Line({ line: { time, level, message, fields } }: { readonly line: NumberedLine }) {
  return (
    <div className={styles.line} data-level={level}>
      <time dateTime={time} title={formatDateTime(time)}>
        {formatTime(time)}
      </time>
      <span className={styles.level}>{level}</span>
      <span className={styles.message}>
        {message} {fields && <span className={styles.fields}>{fields}</span>}
      </span>
    </div>
  )
}
